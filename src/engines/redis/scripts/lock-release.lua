#!lua flags=allow-oom
-- Gives back the lock, if this owner has it, and tells one waiter in each process.
-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
-- mirrors: RLock.unlock
-- KEYS: lock, mark
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string
-- returns: receivers, if it was released, -1 if it may not tell them | not-held
local lock, mark = KEYS[1], KEYS[2]
local tombstoneMs = tonumber(ARGV[2])
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
-- The field of the owner is the only one, and Redis removes a hash with its last field.
if redis.call('HDEL', lock, ARGV[1]) == 0 then return { 'not-held' } end
local receivers = redis.pcall(ARGV[3], ARGV[4], '0')
if type(receivers) ~= 'number' then return -1 end
if receivers > 0 and ARGV[3] == 'PUBLISH' then
  -- Whoever listens by a pattern watches, and waits for nothing: only those who listen by name count.
  receivers = redis.pcall('PUBSUB', 'NUMSUB', ARGV[4])[2] or receivers
end
return receivers
