#!lua flags=allow-oom
-- Gives back a fair lock, or the place in its line, if the time is over for which the hold was to last: then the first in line
-- is let in, if it has lately offered that, and told its fence; else, and if the lock was free before, it is told to ask.
-- Before that time it sets the end of the hold: until then the lock has an owner that no request renews or gives back,
-- and the first in line is told to ask how long that is.
-- mirrors: RedissonFairLock.unlockInner, RedissonFairLock.acquireFailed
-- KEYS: lock, token, queue, deadlines, contributions, mark
-- ARGV: owner: string, tombstoneMs: integer, retentionMs: integer, publish: string, channel: string, grantedMs: integer, minHoldMs: integer
-- returns: released waiters | not-held
local lock, token, queue, deadlines, contributions, mark = unpack(KEYS)
local owner, tombstoneMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local publish, channel = ARGV[4], ARGV[5]
-- As in the acquisition.
local CLOCKS_APART_MS = 2000
-- Who has offered it for longer than this part of its lease is told to ask: its lease counts from the offer. A little less
-- than the third after which it would not believe the message.
local LATELY = 0.3
local MOST_DEAD = 1000
local READ_TOGETHER = 100
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

local function takeOff(contributed, place)
  if contributed == 0 then return end
  for _, behind in ipairs(redis.call('LRANGE', queue, place, -1)) do
    redis.call('ZADD', deadlines, 'XX', 'INCR', -contributed, behind)
  end
end

-- Takes it out of the line, and what it contributed off all those behind.
local function leave(place, one, contributed)
  redis.call('LREM', queue, 0, one)
  redis.call('ZREM', deadlines, one)
  redis.call('HDEL', contributions, one)
  takeOff(contributed, place)
end

-- What is known of one of ours: what it contributed, until when it is kept, with which lease it may be let in, since when,
-- and with how many fences.
local function numbersOf(known)
  local numbers = {}
  for number in string.gmatch(known or '0', '%S+') do numbers[#numbers + 1] = tonumber(number) end
  return unpack(numbers)
end

-- The dead at the front, and what they contributed: as in the acquisition they are taken out together.
local gone, owed = {}, 0

local function theDeadLeave()
  if #gone == 0 then return end
  redis.call('LTRIM', queue, #gone, -1)
  redis.call('ZREM', deadlines, unpack(gone))
  redis.call('HDEL', contributions, unpack(gone))
  takeOff(owed, 0)
end

-- If very many are dead, the others are left to the next that asks. Told of it is the last that lives and is ours: Java takes none
-- of ours out before their deadline, and what has come last is the likeliest to live.
local function lastOfTheLiving()
  local owners = redis.call('LRANGE', queue, -MOST_DEAD, -1)
  local known = redis.call('HMGET', contributions, unpack(owners))
  for at = #owners, 1, -1 do
    local keptUntil = known[at] and tonumber(string.match(known[at], '^%S+ (%S+)'))
    if keptUntil and keptUntil > nowMs then return owners[at] end
  end
  return owners[#owners]
end

-- The first of the line whose time is not over, with what it contributed and the lease and the fences with which it is let
-- in, if it is.
local function headOfTheLiving()
  local owners, scores, known, at = {}, {}, {}, 1
  while true do
    if not owners[at] then
      -- The first is mostly alive.
      owners = redis.call('LRANGE', queue, #gone, #gone == 0 and 0 or #gone + READ_TOGETHER - 1)
      if #owners == 0 then
        theDeadLeave()
        return nil
      end
      scores = redis.call('ZMSCORE', deadlines, unpack(owners))
      known = redis.call('HMGET', contributions, unpack(owners))
      at = 1
    end
    local one, deadline = owners[at], scores[at] and scores[at] - owed
    local contributed, keptUntil, letInMs, offeredAt, fences = numbersOf(known[at])
    if deadline and (keptUntil or deadline + CLOCKS_APART_MS) > nowMs then
      theDeadLeave()
      local isLately = (letInMs or 0) > 0 and nowMs - offeredAt <= letInMs * LATELY
      return one, contributed, isLately and offeredAt + letInMs - nowMs or nil, fences
    end
    if #gone == MOST_DEAD then
      if known[at] then
        redis.call('HSET', contributions, one, (string.gsub(known[at], '^%S+', contributed + owed)))
        owed = 0
      end
      theDeadLeave()
      return lastOfTheLiving()
    end
    gone[#gone + 1] = one
    owed = owed + contributed
    at = at + 1
  end
end

-- The first of as many fences.
local function nextFence(leaseMs, fences)
  -- The clock is nearly always ahead of the last fence: one call reads that one and writes the next.
  local clock = time[1] * 1000000 + time[2]
  local fence = clock
  local reserved = fence + fences - 1
  local written = redis.call('SET', token, reserved, 'KEEPTTL', 'GET')
  local last = tonumber(written or 0)
  if not last then
    redis.call('SET', token, written, 'KEEPTTL')
    error('the token of this name is not a number')
  end
  if last >= fence then
    fence = last + 1
    reserved = fence + fences - 1
    redis.call('SET', token, reserved, 'KEEPTTL')
  end
  -- The end is put off once in a while, and not with each grant: that is a call less, for a sixteenth of the retention.
  local spanMs = retentionMs / 16
  if retentionMs == 0 then
    redis.call('PERSIST', token)
  elseif not written or leaseMs > spanMs or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then
    -- A fence that is ahead of the clock must be remembered until the clock has caught up.
    local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)
    -- GT: a token that Java keeps for ever has no end, and must not be given one.
    redis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')
  end
  return string.format('%.0f', fence)
end

local held = redis.call('HEXISTS', lock, owner) == 1
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
-- A fence that was ahead of the clock tells a later time than that of the grant; never later than now, though.
local leftMs = math.min(tonumber(ARGV[6]), nowMs) + tonumber(ARGV[7]) - nowMs
local isKept = held and leftMs > 0
if held then
  redis.call('DEL', lock)
  if isKept then
    -- Not the same owner: a renewal that comes late would find its hold, and lengthen it.
    redis.call('HSET', lock, owner .. '+kept', 1)
    redis.call('PEXPIRE', lock, leftMs)
  end
else
  local place = redis.call('LPOS', queue, owner)
  if place then leave(place, owner, (numbersOf(redis.call('HGET', contributions, owner)))) end
end
local head, contributed, leaseMs, fences = headOfTheLiving()
-- It is let in here and not told to ask: the lock would be free for as long as the message and the answer travel.
if held and leaseMs and not isKept then
  leave(0, head, contributed)
  local fence = nextFence(leaseMs, fences)
  redis.call('HSET', lock, head, 1)
  redis.call('PEXPIRE', lock, leaseMs)
  redis.pcall(publish, channel .. ':' .. head, fence)
elseif head and (held or redis.call('EXISTS', lock) == 0) then
  redis.pcall(publish, channel .. ':' .. head, '0')
end
if not held then return { 'not-held' } end
return { 'released', redis.call('LLEN', queue) }
