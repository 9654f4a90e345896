#!lua flags=allow-oom
-- Gives back the lock, if this owner has it, and tells one waiter in each process; where there is a crowd, one client of it.
-- An owner that does not have it has waited: its client leaves the crowd, and passes on a message that was for it.
-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
-- mirrors: RLock.unlock
-- KEYS: lock, mark, crowd
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string
-- returns: receivers, if it was released, -1 if it may not tell them | not-held
local lock, mark, crowd = KEYS[1], KEYS[2], KEYS[3]
local publish, channel = ARGV[3], ARGV[4]
local tombstoneMs = tonumber(ARGV[2])
-- How many listen by a pattern to all channels.
local watchers = 0
-- Wakes the client that has waited longest in the crowd. One that no longer listens is gone: the next one is told.
local function wakeNext()
  while true do
    local client = redis.call('ZPOPMIN', crowd)[1]
    if not client then return 0 end
    if redis.pcall(publish, channel .. ':' .. client, '0') ~= watchers then return 1 end
  end
end

if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
-- The field of the owner is the only one, and Redis removes a hash with its last field.
if redis.call('HDEL', lock, ARGV[1]) == 0 then
  -- Its entry is gone if a message is on its way to it. The id of an owner begins with the 32 digits of its client.
  if redis.call('ZREM', crowd, string.sub(ARGV[1], 1, 32)) == 0 and redis.call('EXISTS', lock) == 0 then wakeNext() end
  return { 'not-held' }
end
local receivers = redis.pcall(publish, channel, '0')
if type(receivers) ~= 'number' then return -1 end
if receivers > 0 and publish == 'PUBLISH' then
  -- Whoever listens by a pattern watches, and waits for nothing: only those who listen by name count.
  local named = redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or receivers
  receivers, watchers = named, receivers - named
end
return receivers + wakeNext()
