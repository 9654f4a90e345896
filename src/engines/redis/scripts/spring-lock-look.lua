#!lua flags=no-writes
-- Tells who holds a Spring lock.
-- mirrors: nothing; RedisLockRegistry knows only whether it holds a lock itself
-- KEYS: lock, token
-- ARGV:
-- returns: ttlMs lastFence owner?
local lock, token = KEYS[1], KEYS[2]
local last = tonumber(redis.call('GET', token) or 0)
local owner = redis.call('GET', lock)
if not owner then return { -2, last } end
return { redis.call('PTTL', lock), last, owner }
