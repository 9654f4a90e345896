#!lua flags=no-writes
-- Tells who holds a lock, and how many stand in the line of a fair one.
-- mirrors: RLock.isLocked, RLock.remainTimeToLive, RFencedLock.getToken
-- KEYS: lock, token, queue
-- ARGV:
-- returns: ttlMs lastFence waiters owner?
local lock, token, queue = KEYS[1], KEYS[2], KEYS[3]
local ttlMs = redis.call('PTTL', lock)
local last = tonumber(redis.call('GET', token) or 0)
local waiters = redis.call('LLEN', queue)
if ttlMs == -2 then return { ttlMs, last, waiters } end
return { ttlMs, last, waiters, redis.call('HKEYS', lock)[1] }
