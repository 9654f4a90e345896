#!lua flags=allow-oom
-- Gives back the lock or the place of a waiter, where a copy of the owner's acquisition may still be on its way: leaves a mark
-- that refuses such a copy. For the rest it does what a release does.
-- mirrors: RLock.unlock
-- KEYS: lock, mark, crowd
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string
-- returns: receivers, if it was released, -1 if it may not tell them | not-held
local lock, mark, crowd = KEYS[1], KEYS[2], KEYS[3]
local publish, channel = ARGV[3], ARGV[4]
redis.call('SET', mark, 'out', 'PX', tonumber(ARGV[2]))
local held = redis.call('HDEL', lock, ARGV[1]) == 1
-- How many listen to the channel, and how many listen by a pattern to all channels.
local receivers, watchers = 0, 0
if held then
  receivers = redis.pcall(publish, channel, '0')
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
