#!lua
-- Takes a free lock for an owner that waits and whose client watches, or tells how long its holder has left.
-- Where many clients wait it also says where this one is to listen: a message to all of them would have each ask, and all but
-- one in vain. There each client has a channel of its own, and its owner an entry in the crowd that a release takes out to wake it.
-- An owner that holds the lock already is told what is left of its grant; it is never counted twice.
-- mirrors: RLock.tryLock, RFencedLock.tryLockAndGetToken
-- KEYS: lock, token, mark, crowd
-- ARGV: owner: string, leaseMs: integer, fences: integer, notAfterMs: integer, retentionMs: integer, enters: integer, sinceMs: integer, count: string, channel: string
-- returns: granted nowMs remainingMs fence crowd | busy nowMs ttlMs where waiters stood holder | late nowMs | withdrawn nowMs
local lock, token, mark, crowd = unpack(KEYS)
local owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
local enters, sinceMs, count, channel = ARGV[6] == '1', tonumber(ARGV[7]), ARGV[8], ARGV[9]
-- So many clients may listen to the channel of the lock before the others stand in a crowd.
local MOST_LISTENERS = 16
-- A smaller crowd goes back to that channel: there a client that has stopped keeps no other from its turn.
local LEAST_IN_CROWD = 2
-- So many may listen to it besides while a client of another make holds the lock: only that channel tells of its release.
local MOST_BESIDE_JAVA = 64
local CROWD_KEPT_MS = 3600000
local LOOKED_AT = 16
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end

local function listeners()
  local counted = redis.pcall('PUBSUB', count, channel)
  return counted.err and 0 or counted[2]
end

-- A release takes the dead out, but of a lock whose holders all die none ever comes. The more stand in the crowd, the later each
-- client looks: so some of them are looked at, each time others.
local function theDeadLeave(waiters)
  local first = math.floor(nowMs / 64) % waiters
  local some = redis.call('ZRANGE', crowd, first, first + LOOKED_AT - 1)
  local own = {}
  -- The id of an owner begins with the 32 digits of its client.
  for at, one in ipairs(some) do own[at] = channel .. ':' .. string.sub(one, 1, 32) end
  local counted = redis.pcall('PUBSUB', count, unpack(own))
  for at, one in ipairs(some) do
    if counted[2 * at] == 0 then redis.call('ZREM', crowd, one) end
  end
end

local there = redis.call('EXISTS', lock, mark)
if there > 0 then
  local ttlMs = redis.call('PTTL', lock)
  -- Its owner has given up since this copy was sent. Where another owner holds the lock both keys are there: such a copy must not
  -- enter the crowd, because a release would wake a client that no longer waits.
  if ttlMs == -2 or there == 2 then return { 'withdrawn', nowMs } end
  local fields = redis.call('HKEYS', lock)
  for _, field in ipairs(fields) do
    if field == owner then
      -- Only eviction can have taken the token while the lock is held: the clock is ahead of what it was.
      local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)
      return { 'granted', nowMs, ttlMs, last - fences + 1, 'crowd' }
    end
    if field == 'mode' then return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name') end
  end
  local waiters = redis.call('ZCARD', crowd)
  if waiters < LEAST_IN_CROWD and listeners() <= MOST_LISTENERS then
    if waiters > 0 then redis.call('ZREM', crowd, owner) end
    return { 'busy', nowMs, ttlMs, 'lock', 0, 0, fields[1] }
  end
  local stood = 0
  -- Only for a client that listens already: a release finds no listener for any other, and takes its entry out.
  if enters then
    stood = 1 - redis.call('ZADD', crowd, sinceMs > 0 and sinceMs or nowMs, owner)
    -- A large crowd puts its end off once in a while, and not with each entry.
    local isSeldom = nowMs % 64 == 0
    if waiters < LEAST_IN_CROWD or isSeldom then redis.call('PEXPIRE', crowd, CROWD_KEPT_MS) end
    if isSeldom and waiters >= LEAST_IN_CROWD then theDeadLeave(waiters) end
  end
  -- Ours begin with hexadecimal digits and a colon; Java's have hyphens there.
  local ours = string.find(fields[1], '^%x+:')
  -- The grant of a client of another make has seen no crowd: those who listen to the channel of the lock are not to leave it.
  if not ours then stood = 0 end
  -- The first of a crowd listens for a holder whose grant may have known of none: its release tells a crowd only if it was heard.
  -- One of the crowd listens beside any number of other make: else all would be left to their looks.
  local both = waiters == 0
    or not ours and (listeners() <= MOST_BESIDE_JAVA or redis.call('ZRANGE', crowd, 0, 0)[1] == owner)
  local where = both and 'both' or 'own'
  return { 'busy', nowMs, ttlMs, where, waiters, stood, fields[1] }
end

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
-- Text as it came: to format a number costs more than a call has to.
redis.call('HSET', lock, owner, '1')
redis.call('PEXPIRE', lock, ARGV[2])
-- It waits no more. A release that has taken the entry out meant this grant, or one before it.
redis.call('ZREM', crowd, owner)
return { 'granted', nowMs, leaseMs, fence, 'crowd' }
