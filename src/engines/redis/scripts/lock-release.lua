#!lua flags=allow-oom
-- Gives back the lock, if this owner has it, and tells one waiter in each process; where there is a crowd, one client of it.
-- An owner that does not have it has waited: it leaves the crowd, and passes on a message that was for it.
-- Looks for a crowd if its grant saw one (beside), or if a client listens to the channel of the lock.
-- mirrors: RLock.unlock
-- KEYS: lock, crowd
-- ARGV: owner: string, publish: string, channel: string, beside: string
-- returns: receivers, if it was released, -1 if it may not tell them | not-held
local lock, crowd = KEYS[1], KEYS[2]
local publish, channel = ARGV[2], ARGV[3]
-- The field of the owner is the only one, and Redis removes a hash with its last field.
local held = redis.call('HDEL', lock, ARGV[1]) == 1
-- How many listen to the channel, and how many listen by a pattern to all channels.
local receivers, watchers = 0, 0
if held then
  receivers = redis.pcall(publish, channel, '0')
  -- The race: a crowd may form during a hold whose grant saw none. Its first clients listen to the channel of the lock until the
  -- hold ends, so a release that no client hears need not look for a crowd.
  if receivers == 0 and ARGV[4] == '' then return 0 end
  if type(receivers) ~= 'number' then return -1 end
  if receivers > 0 and publish == 'PUBLISH' then
    -- Whoever listens by a pattern watches, and waits for nothing: only those who listen by name count.
    local named = redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or receivers
    receivers, watchers = named, receivers - named
  end
elseif redis.call('ZREM', crowd, ARGV[1]) == 1 or redis.call('EXISTS', lock) == 1 then
  -- Its entry is gone if a message is on its way to it: then it is passed on, unless another owner has the lock.
  return { 'not-held' }
end
-- Wakes the client that has waited longest in the crowd. One that no longer listens is gone: the next one is told.
local woken = 0
repeat
  local nextOwner = redis.call('ZPOPMIN', crowd)[1]
  -- The id of an owner begins with the 32 digits of its client.
  local own = nextOwner and channel .. ':' .. string.sub(nextOwner, 1, 32)
  if own and redis.pcall(publish, own, '0') ~= watchers then woken = 1 end
until woken == 1 or not own
return held and receivers + woken or { 'not-held' }
