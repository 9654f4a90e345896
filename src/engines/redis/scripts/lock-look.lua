#!lua flags=no-writes
-- Tells who holds a lock, and how many stand in the line of a fair one.
-- mirrors: RLock.isLocked, RLock.remainTimeToLive, RFencedLock.getToken
-- KEYS: lock, token, queue, contributions
-- ARGV:
-- returns: ttlMs lastFence waiters owner?
local lock, token, queue, contributions = unpack(KEYS)
local ttlMs = redis.call('PTTL', lock)
local last = tonumber(redis.call('GET', token) or 0)
local waiters = 0
for _, place in ipairs(redis.call('LRANGE', queue, 0, -1)) do
  -- Several of ours may stand at one place; the fifth number is how many.
  local known = redis.call('HGET', contributions, place) or ''
  waiters = waiters + (tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)$')) or 1)
end
if ttlMs == -2 then return { ttlMs, last, waiters } end
return { ttlMs, last, waiters, redis.call('HKEYS', lock)[1] }
