#!lua
-- Takes the write side: when nobody reads or writes. An owner that only reads is refused, for it would wait for itself.
-- A reader of ours counts for as long as it was promised, also if Java's watchdog has cut the hash it stood in: it does
-- not know of that before its next renewal.
-- mirrors: RReadWriteLock.writeLock().tryLock
-- KEYS: lock, token, mark
-- ARGV: owner: string, leaseMs: integer, notAfterMs: integer, retentionMs: integer
-- returns: granted nowMs remainingMs fence | busy nowMs ttlMs | upgrade nowMs | late nowMs | withdrawn nowMs
local lock, token, mark = KEYS[1], KEYS[2], KEYS[3]
local owner, leaseMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'

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
if mode == 'write' and redis.call('HEXISTS', lock, owner .. ':write') == 1 then
  return { 'granted', nowMs, redis.call('PTTL', lock), tonumber(redis.call('GET', token) or 0) }
end
if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end
local soonest, alive = 0, false
if mode == 'read' then
  local reads = redis.call('HEXISTS', lock, owner) == 1
  if reads and redis.call('PTTL', base .. ':' .. owner .. ':rwlock_timeout:1') > 0 then return { 'upgrade', nowMs } end
  -- The soonest end of any reader, not the last: a reader that leaves early tells nobody while others read.
  local fields = redis.call('HGETALL', lock)
  soonest = redis.call('PTTL', lock)
  for at = 1, #fields, 2 do
    for count = 1, tonumber(fields[at + 1]) or 0 do
      local ttlMs = redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count)
      if ttlMs > 0 then
        alive = true
        soonest = math.min(soonest, ttlMs)
      end
    end
  end
elseif mode then
  return { 'busy', nowMs, redis.call('PTTL', lock) }
end
local promised = 'holdfast_read_until:' .. base
local reads = redis.call('HGETALL', promised)
for at = 1, #reads, 2 do
  local leftMs = tonumber(reads[at + 1]) - nowMs
  if leftMs > 0 then
    soonest = alive and math.min(soonest, leftMs) or leftMs
    alive = true
  else
    redis.call('HDEL', promised, reads[at])
  end
end
if alive then return { 'busy', nowMs, soonest } end
-- Only readers whose time is over: the hash outlived them because others had held it for longer.
if mode then redis.call('DEL', lock) end

-- First of all: if the token is not a number it fails, and nothing may have been written by then.
local fence = nextFence()
redis.call('HSET', lock, 'mode', 'write', owner .. ':write', 1)
redis.call('PEXPIRE', lock, leaseMs)
return { 'granted', nowMs, leaseMs, fence }
