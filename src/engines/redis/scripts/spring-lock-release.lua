#!lua flags=allow-oom
-- Gives back the lock, if this owner has it, and tells those who wait, if they wait for messages.
-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
-- mirrors: RedisLockRegistry, both ways of giving back a lock
-- KEYS: lock, mark
-- ARGV: owner: string, tombstoneMs: integer, channel: string, oldChannel: string
-- returns: released receivers | not-held
local lock, mark = KEYS[1], KEYS[2]
local tombstoneMs, channel, oldChannel = tonumber(ARGV[2]), ARGV[3], ARGV[4]
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
if redis.call('GET', lock) ~= ARGV[1] then return { 'not-held' } end
redis.call('UNLINK', lock)
if channel == '' then return { 'released', 0 } end
-- A program listens on one of the two, and we on both: the larger number counts nobody twice.
local receivers = redis.pcall('PUBLISH', channel, lock)
if type(receivers) ~= 'number' then receivers = -1 end
-- A server that keeps the channels of a cluster in slots refuses this one, and the lock is free all the same.
local older = redis.pcall('PUBLISH', oldChannel, lock)
return { 'released', type(older) == 'number' and math.max(receivers, older) or receivers }
