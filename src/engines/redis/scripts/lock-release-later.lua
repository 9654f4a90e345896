#!lua flags=allow-oom
-- Gives back the lock, if this owner has it and the time is over for which it was to last. Else it sets that end: until then
-- the lock has an owner that no request renews or gives back. Tells one waiter in each process either way, and where there is a
-- crowd one client of it: those who wait had counted on a later end.
-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
-- mirrors: RLock.unlock
-- KEYS: lock, mark, crowd
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string, grantedMs: integer, minHoldMs: integer
-- returns: receivers, if it was released, -1 if it may not tell them | not-held
local lock, mark, crowd = KEYS[1], KEYS[2], KEYS[3]
local publish, channel = ARGV[3], ARGV[4]
local tombstoneMs = tonumber(ARGV[2])
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
if redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'not-held' } end
redis.call('DEL', lock)
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
-- A fence that was ahead of the clock tells a later time than that of the grant; never later than now, though.
local leftMs = math.min(tonumber(ARGV[5]), nowMs) + tonumber(ARGV[6]) - nowMs
if leftMs > 0 then
  -- Not the same owner: a renewal that comes late would find its hold, and lengthen it.
  redis.call('HSET', lock, ARGV[1] .. '+kept', 1)
  redis.call('PEXPIRE', lock, leftMs)
end
-- How many listen to the channel, and how many listen by a pattern to all channels.
local receivers, watchers = redis.pcall(publish, channel, '0'), 0
if type(receivers) ~= 'number' then return -1 end
if receivers > 0 and publish == 'PUBLISH' then
  -- Whoever listens by a pattern watches, and waits for nothing: only those who listen by name count.
  local named = redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or receivers
  receivers, watchers = named, receivers - named
end
-- Wakes the client that has waited longest in the crowd. One that no longer listens is gone: the next one is told.
local woken = 0
repeat
  local nextOwner = redis.call('ZPOPMIN', crowd)[1]
  -- The id of an owner begins with the 32 digits of its client.
  local own = nextOwner and channel .. ':' .. string.sub(nextOwner, 1, 32)
  if own and redis.pcall(publish, own, '0') ~= watchers then woken = 1 end
until woken == 1 or not own
return receivers + woken
