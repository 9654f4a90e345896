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
  local last = redis.call('GET', token)
  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])
  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)
  if retentionMs == 0 then
    redis.call('SET', token, string.format('%.0f', fence))
  elseif last then
    -- GT: a token that Java keeps for ever has no end, and must not be given one.
    redis.call('SET', token, string.format('%.0f', fence), 'KEEPTTL')
    redis.call('PEXPIRE', token, keptMs, 'GT')
  else
    redis.call('SET', token, string.format('%.0f', fence), 'PX', keptMs)
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
