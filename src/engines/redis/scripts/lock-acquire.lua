#!lua
-- Takes a free lock for one owner, or tells how long its holder has left.
-- A repeated request is told what is left of its grant; it is never counted twice.
-- mirrors: RLock.tryLock, RFencedLock.tryLockAndGetToken
-- KEYS: lock, token, mark
-- ARGV: owner: string, leaseMs: integer, fences: integer, notAfterMs: integer, retentionMs: integer
-- returns: fence | granted nowMs remainingMs fence | busy nowMs ttlMs | late nowMs | withdrawn nowMs
local lock, token, mark = KEYS[1], KEYS[2], KEYS[3]
local owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end

local ttlMs = redis.call('PTTL', lock)
if ttlMs ~= -2 then
  if redis.call('HEXISTS', lock, owner) == 1 then
    -- Only eviction can have taken the token while the lock is held: the clock is ahead of what it was.
    local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)
    return { 'granted', nowMs, ttlMs, last - fences + 1 }
  end
  if redis.call('HEXISTS', lock, 'mode') == 1 then
    return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')
  end
  return { 'busy', nowMs, ttlMs }
end
-- Its owner has given up since this copy was sent.
if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end

local last = redis.call('GET', token)
local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])
local reserved = fence + fences - 1
-- A fence that is ahead of the clock must be remembered until the clock has caught up.
local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)
if retentionMs == 0 then
  redis.call('SET', token, string.format('%.0f', reserved))
elseif last then
  -- GT: a token that Java keeps for ever has no end, and must not be given one.
  redis.call('SET', token, string.format('%.0f', reserved), 'KEEPTTL')
  redis.call('PEXPIRE', token, keptMs, 'GT')
else
  redis.call('SET', token, string.format('%.0f', reserved), 'PX', keptMs)
end
redis.call('HSET', lock, owner, 1)
redis.call('PEXPIRE', lock, leaseMs)
-- A fence that is the time tells when it was given, and for how long is known to whoever asked: one number says it all. To
-- write a list of four and to read it takes longer than three of the calls above.
if fence == time[1] * 1000000 + time[2] then return fence end
return { 'granted', nowMs, leaseMs, fence }
