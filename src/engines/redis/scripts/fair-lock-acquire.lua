#!lua
-- Takes a fair lock if it is free and nobody stands before this owner; else gives the owner a place in line.
-- Deadlines form a chain: each score is that of the one before plus what its owner contributed, and whoever leaves
-- takes its contribution off all those behind. Those of Java follow from the chain, and Java's own departures subtract
-- them. Of ours a hash keeps "contributed keptUntil letInMs offeredAt fences": the second is the deadline that the place has
-- by itself. The third is the lease with which whoever gives the lock back may let its owner in, 0 if the owner has to ask for
-- it; the fourth is when that was offered first, from when the lease counts. The last is how many stand there together.
-- A waiter of Java that was interrupted or whose client was shut down leaves its place behind and stops listening. Whoever of
-- Java's has not been seen to listen for absentMs is passed over; if it lives, it takes a new place when it next asks.
-- mirrors: RedissonFairLock.tryLockInner
-- KEYS: lock, token, queue, deadlines, contributions, mark
-- ARGV: owner: string, leaseMs: integer, fences: integer, wait: integer, waitMs: integer, foreignWaitMs: integer, notAfterMs: integer, retentionMs: integer, publish: string, channel: string, letIn: integer, absentMs: integer
-- returns: granted nowMs remainingMs fence | busy nowMs againInMs | late nowMs | withdrawn nowMs
local lock, token, queue, deadlines, contributions, mark = unpack(KEYS)
local owner, leaseMs, fences, waits = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local waitMs, foreignWaitMs = tonumber(ARGV[5]), tonumber(ARGV[6])
local retentionMs, publish, channel = tonumber(ARGV[8]), ARGV[9], ARGV[10]
local letInMs, absentMs = ARGV[11] == '1' and leaseMs or 0, tonumber(ARGV[12])
-- Java writes its deadlines by its own clock, which may be this much behind ours.
local CLOCKS_APART_MS = 2000
-- Of so many places at the front it is seen whether somebody listens there.
local SEEN_PLACES = 16
-- One script takes out so many dead at most: the server answers nobody else meanwhile.
local MOST_DEAD = 1000
-- So many of those behind a dead one are read by one command.
local READ_TOGETHER = 100
-- No owner looks more often than this for the end of somebody else's lease.
local SHORTEST_LOOK_MS = 100
-- Java waits for as long as a number can say.
local LONGEST_MS = 10 * 365 * 24 * 60 * 60 * 1000
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[7]) then return { 'late', nowMs } end
local offeredAt = letInMs > 0 and nowMs or 0

local function add(ms, from)
  if ms == 0 then return end
  for _, one in ipairs(redis.call('LRANGE', queue, from, -1)) do
    redis.call('ZADD', deadlines, 'XX', 'INCR', ms, one)
  end
end

-- A place: its deadline in the chain and, if it is one of ours, what it contributed and until when it is kept.
local function placeOf(one, deadline, known)
  local place = { owner = one, deadline = tonumber(deadline) }
  if known then
    local numbers = {}
    for number in string.gmatch(known, '%S+') do numbers[#numbers + 1] = tonumber(number) end
    place.contributed, place.keptUntil, place.letInMs, place.offeredAt, place.fences = unpack(numbers)
  end
  return place
end

local function lookAt(one)
  if not one then return {} end
  return placeOf(one, redis.call('ZSCORE', deadlines, one), redis.call('HGET', contributions, one))
end

-- The places from this one on, as many as are read together.
local function placesFrom(first)
  local owners = redis.call('LRANGE', queue, first, first + READ_TOGETHER - 1)
  if #owners == 0 then return owners end
  local scores = redis.call('ZMSCORE', deadlines, unpack(owners))
  local known = redis.call('HMGET', contributions, unpack(owners))
  for at, one in ipairs(owners) do owners[at] = placeOf(one, scores[at], known[at]) end
  return owners
end

local function remember(place)
  local known = { place.contributed, place.keptUntil, place.letInMs, place.offeredAt, place.fences }
  redis.call('HSET', contributions, place.owner, table.concat(known, ' '))
end

local head
-- What the dead before the head have contributed that are being taken out.
local owed = 0
local absences = 'holdfast_lock_absent:' .. (string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}')

local function headLeaves()
  redis.call('LREM', queue, 0, head.owner)
  redis.call('ZREM', deadlines, head.owner)
  redis.call('HDEL', contributions, head.owner)
  if absentMs > 0 and not head.contributed then redis.call('HDEL', absences, head.owner) end
  add(-(head.contributed or 0), 0)
  head = lookAt(redis.call('LINDEX', queue, 0))
end

-- Of ours it does not go by the deadline: Java drops dead heads without taking off what they contributed.
local function headKeptMs()
  return (head.keptUntil or head.deadline + CLOCKS_APART_MS) - nowMs
end

-- The head has died: its time is over, or it has none. Never the caller, who is plainly alive.
local function headIsDead()
  if not head.owner or head.owner == owner then return false end
  return not head.deadline or headKeptMs() <= 0
end

-- Since when nobody has been seen to listen for a place of Java's; nil if that is not known. With it goes the deadline of the
-- place. Java leaves a place without a word to us, and takes the next one by the same name before it listens there: by the
-- name alone it would be passed over at once. A deadline that was moved, because one before it has left, counts from now.
local function absentSince(one)
  local since, deadline = string.match(redis.call('HGET', absences, one) or '', '^(%S+) (%S+)$')
  return since and deadline == redis.call('ZSCORE', deadlines, one) and tonumber(since) or nil
end

-- Remembers since when nobody listens on the channels of Java's places at the front. A server with replicas does not know:
-- Java listens there. Nor does one that does not say whether it has any.
local function seeWhoListens()
  local owners, command = {}, { 'PUBSUB', 'NUMSUB' }
  for _, one in ipairs(redis.call('LRANGE', queue, 0, SEEN_PLACES - 1)) do
    if one == owner then break end
    if redis.call('HEXISTS', contributions, one) == 0 then
      owners[#owners + 1] = one
      command[#command + 1] = channel .. ':' .. one
    end
  end
  if #owners == 0 then return end
  local replication = redis.pcall('INFO', 'replication')
  if type(replication) ~= 'string' or not string.find(replication, 'connected_slaves:0', 1, true) then return end
  local listeners = redis.pcall(unpack(command))
  if listeners.err then return end
  for at, one in ipairs(owners) do
    if listeners[2 * at] > 0 then
      redis.call('HDEL', absences, one)
    elseif not absentSince(one) then
      redis.call('HSET', absences, one, nowMs .. ' ' .. (redis.call('ZSCORE', deadlines, one) or ''))
    end
  end
  redis.call('PEXPIRE', absences, 6 * absentMs)
end

-- How much longer the head is waited for that nobody listens for; nil if somebody does, or that is not known.
local function headAbsentInMs()
  -- Its deadline is about to move with the dead before it, and then it counts from now.
  if owed ~= 0 then return nil end
  if absentMs == 0 or not head.owner or head.contributed or head.owner == owner then return nil end
  local since = absentSince(head.owner)
  return since and since + absentMs - nowMs or nil
end

local function headIsAbsent()
  local inMs = headAbsentInMs()
  return inMs ~= nil and inMs <= 0
end

-- Takes the dead at the front out of the line. To take what each contributed off all those behind it, one dead after the
-- other, takes a thousand of them half a million commands: it is taken off once. Returns how many they were.
local function theDeadLeave()
  local gone, behind, at = {}, {}, 0
  while #gone < MOST_DEAD and (headIsDead() or headIsAbsent()) do
    gone[#gone + 1] = head.owner
    owed = owed + (head.contributed or 0)
    at = at + 1
    if not behind[at] then behind, at = placesFrom(#gone), 1 end
    head = behind[at] or {}
    if head.deadline then head.deadline = head.deadline - owed end
  end
  if #gone == 0 then return 0 end
  redis.call('LTRIM', queue, #gone, -1)
  redis.call('ZREM', deadlines, unpack(gone))
  redis.call('HDEL', contributions, unpack(gone))
  if absentMs > 0 then redis.call('HDEL', absences, unpack(gone)) end
  if #gone == MOST_DEAD and head.contributed and headIsDead() then
    -- The next of the dead takes over what those before it contributed, and takes it off the others when it leaves.
    head.contributed, head.deadline = head.contributed + owed, head.deadline and head.deadline + owed
    remember(head)
  else
    add(-owed, 0)
  end
  owed = 0
  return #gone
end

-- Chains the line of a head of ours from now on: each of ours by when its own place ends, each of Java as far behind the
-- one before as it was. A chain that went on from where it once began would have to grow with the age of the line, and
-- Java would wait that long for each of the dead.
local function chainFromNow()
  local before, chained
  for _, one in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    local place = lookAt(one)
    if place.deadline then
      if place.contributed then
        place.contributed = math.max(0, place.keptUntil - nowMs)
        remember(place)
        chained = (chained or nowMs) + place.contributed
      else
        chained = chained + place.deadline - before
      end
      redis.call('ZADD', deadlines, chained, one)
      before = place.deadline
    end
  end
end

local ttlMs = redis.call('PTTL', lock)
if ttlMs ~= -2 then
  local held, mode = unpack(redis.call('HMGET', lock, owner, 'mode'))
  if held then
    local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)
    return { 'granted', nowMs, ttlMs, last - fences + 1 }
  end
  if mode then return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name') end
end
if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end

head = lookAt(redis.call('LINDEX', queue, 0))
if absentMs > 0 and head.owner and not head.contributed and head.owner ~= owner then seeWhoListens() end
local purged = theDeadLeave()
-- The others are left to the next request of this owner: it takes its place when they are gone.
if purged == MOST_DEAD and headIsDead() then return { 'busy', nowMs, 1 } end

if ttlMs == -2 and (not head.owner or head.owner == owner) then
  if head.owner then headLeaves() end
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
  redis.call('HSET', lock, owner, 1)
  redis.call('PEXPIRE', lock, leaseMs)
  -- A lease that may end before the next in line asks again by itself: it must know of it, for an end tells nobody.
  if head.owner and leaseMs < waitMs / 3 then redis.pcall(publish, channel .. ':' .. head.owner, '0') end
  return { 'granted', nowMs, leaseMs, fence }
end

local at
if waits then
  local own = head.owner == owner and head or lookAt(owner)
  if not own.deadline then
    redis.call('LREM', queue, 0, owner)
    if own == head then
      head = lookAt(redis.call('LINDEX', queue, 0))
      if theDeadLeave() == MOST_DEAD and headIsDead() then return { 'busy', nowMs, 1 } end
    end
  end
  at = own.deadline and redis.call('LPOS', queue, owner)
  local changed, isLast = false, false
  -- What the hash has forgotten is taken from the chain, as with Java.
  if at and not own.contributed then
    local before = at > 0 and redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, at - 1))
    own.contributed = before and own.deadline - before or 0
    own.keptUntil = before and head.deadline - (head.contributed or foreignWaitMs) + own.contributed or own.deadline
    own.letInMs, own.offeredAt, own.fences = letInMs, offeredAt, fences
    remember(own)
    changed = true
  end

  -- Where the chain begins. It is made anew if that is long ago, or if the head is not due when its place ends: Java has
  -- dropped a dead one before it, or had waited for another time than we thought. It may be due a twelfth of its wait early:
  -- whoever lives has asked again when a sixth was left.
  local base = nowMs
  if head.contributed then
    base = head.deadline - head.contributed
    if math.abs(head.deadline - head.keptUntil) > waitMs / 12 or base < nowMs - waitMs / 2 then
      chainFromNow()
      base, changed = nowMs, true
      if at then own.contributed = math.max(0, own.keptUntil - nowMs) end
    end
  elseif at then
    base = own.keptUntil - own.contributed
  end

  if not at then
    local tail = lookAt(redis.call('LINDEX', queue, -1))
    -- Behind one of Java's a place of ours knows where the chain begins. Else it is guessed: not after the present lease.
    if tail.contributed and not head.contributed then
      base = tail.keptUntil - tail.contributed
    elseif head.deadline and not head.contributed then
      base = math.min(head.deadline - foreignWaitMs, nowMs + math.max(0, ttlMs))
    end
    own = { owner = owner, deadline = tail.deadline or nowMs, contributed = 0, keptUntil = 0, fences = fences }
  end
  -- An offer that stands is not made anew: its owner counts from the first.
  local isNews = own.letInMs ~= letInMs
  if isNews then own.letInMs, own.offeredAt = letInMs, offeredAt end
  -- The place is kept for as long as its owner asks, in steps, so that asking often writes seldom. The first of the line
  -- counts from now, and not, as with Java, from the end of the lease that is being held: its owner asks again long
  -- before, and a dead one should be in the way for no longer than it takes to notice.
  if own.keptUntil < nowMs + waitMs / 2 then
    local contributed = waitMs + (base < nowMs - waitMs / 2 and nowMs - base or 0)
    local more = contributed - own.contributed
    own.contributed, own.keptUntil = contributed, base + contributed
    remember(own)
    if at then
      add(more, at)
    else
      own.deadline = own.deadline + more
      redis.call('ZADD', deadlines, own.deadline, owner)
      at = redis.call('RPUSH', queue, owner) - 1
      isLast = true
    end
    changed = true
  elseif isNews then
    remember(own)
    changed = true
  end
  -- Dropped when nobody of ours has stood in line for long: Java's purge leaves our entry in it.
  if changed then
    local latest = isLast and own.deadline
      or tonumber(redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, -1))) or nowMs
    redis.call('PEXPIRE', contributions, math.min(math.max(waitMs, latest - nowMs), LONGEST_MS) + 600000)
  end
  if at == 0 then head = own end
end

-- Whoever finds the head of a free lock's line dead must tell the new one: the release told the dead one.
if purged > 0 and ttlMs == -2 and head.owner and head.owner ~= owner then
  redis.pcall(publish, channel .. ':' .. head.owner, '0')
end

-- Who is first waits for the lease to end, whoever is behind for the first to be gone.
local againInMs = waitMs / 3
if head.owner == owner or not head.owner then
  if ttlMs >= 0 then againInMs = math.min(againInMs, ttlMs + 1) end
else
  againInMs = math.min(againInMs, headKeptMs(), headAbsentInMs() or againInMs)
end
-- One of Java that lets itself in tells nobody how short its lease is: whoever stands behind it must look by itself, at the
-- latest when what is held now could be over.
if at and at > 0 and ttlMs >= 0 then
  local before = redis.call('LINDEX', queue, at - 1)
  if redis.call('HEXISTS', contributions, before) == 0 then
    againInMs = math.min(againInMs, math.max(SHORTEST_LOOK_MS, ttlMs + 1))
  end
end
return { 'busy', nowMs, math.max(1, math.ceil(againInMs)) }
