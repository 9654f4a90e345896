#!lua
-- Takes the read side: while nobody writes, or under the owner's own write, whose fence it then shares.
-- It has an id of its own all the same: a late copy of an earlier read's release must not free a later one.
-- The key of the hold, whose value Java never looks at, keeps the fence.
-- Java's watchdog cuts the time of the hash and, before Redisson 4.4, that of this key: until when the hold was promised
-- stands in a hash that only our scripts touch, and a writer of ours waits until then.
-- mirrors: RReadWriteLock.readLock().tryLock
-- KEYS: lock, token, mark
-- ARGV: owner: string, writer: string, leaseMs: integer, notAfterMs: integer, retentionMs: integer
-- returns: granted nowMs remainingMs fence hashMs | busy nowMs ttlMs | late nowMs | withdrawn nowMs
local lock, token, mark = KEYS[1], KEYS[2], KEYS[3]
local owner, writer, leaseMs, retentionMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[5])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
local hold = base .. ':' .. owner .. ':rwlock_timeout:1'
local promised = 'holdfast_read_until:' .. base

local function nextFence()
  -- The clock is nearly always ahead of the last fence: one call reads that one and writes the next.
  local clock = time[1] * 1000000 + time[2]
  local fence = clock
  local written = redis.call('SET', token, fence, 'KEEPTTL', 'GET')
  local last = tonumber(written or 0)
  if not last then
    redis.call('SET', token, written, 'KEEPTTL')
    error('the token of this name is not a number')
  end
  if last >= fence then
    fence = last + 1
    redis.call('SET', token, fence, 'KEEPTTL')
  end
  -- The end is put off once in a while, and not with each grant: that is a call less, for a sixteenth of the retention.
  local spanMs = retentionMs / 16
  if retentionMs == 0 then
    redis.call('PERSIST', token)
  elseif not written or leaseMs > spanMs or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then
    -- A fence that is ahead of the clock must be remembered until the clock has caught up.
    local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)
    -- GT: a token that Java keeps for ever has no end, and must not be given one.
    redis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')
  end
  return fence
end

local mode = redis.call('HGET', lock, 'mode')
if not mode and redis.call('EXISTS', lock) == 1 then
  return redis.error_reply('HOLDFASTFOREIGN another kind of lock is kept under this name')
end
if mode and redis.call('HEXISTS', lock, owner) == 1 then
  local remainingMs = redis.call('PTTL', hold)
  if remainingMs > 0 then return { 'granted', nowMs, remainingMs, tonumber(redis.call('GET', hold)), redis.call('PTTL', lock) } end
end
if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end
if mode == 'write' and redis.call('HEXISTS', lock, writer .. ':write') == 0 then
  return { 'busy', nowMs, redis.call('PTTL', lock) }
end

-- First of all: if the token is not a number it fails, and nothing may have been written by then.
local fence = mode == 'write' and tonumber(redis.call('GET', token) or 0) or nextFence()
if not mode then redis.call('HSET', lock, 'mode', 'read') end
redis.call('HSET', lock, owner, 1)
redis.call('SET', hold, string.format('%.0f', fence), 'PX', leaseMs)
redis.call('HSET', promised, owner, nowMs + leaseMs)
if redis.call('PTTL', promised) < leaseMs then redis.call('PEXPIRE', promised, leaseMs) end
local hashMs = mode and redis.call('PTTL', lock) or leaseMs
if not mode or hashMs < leaseMs then redis.call('PEXPIRE', lock, leaseMs) end
return { 'granted', nowMs, leaseMs, fence, hashMs }
