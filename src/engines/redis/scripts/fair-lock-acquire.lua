#!lua
-- Takes a fair lock if it is free and nobody stands before this owner; else gives the owner a place in line.
-- Deadlines form a chain: each score is that of the one before plus what its owner contributed, and whoever leaves
-- takes its contribution off all those behind. Ours are kept in the hash of contributions; those of Java follow from
-- the chain, and Java's own departures subtract them.
-- mirrors: RedissonFairLock.tryLockInner
-- KEYS: lock, token, queue, deadlines, contributions, mark
-- ARGV: owner: string, leaseMs: integer, fences: integer, wait: integer, waitMs: integer, foreignWaitMs: integer, notAfterMs: integer, retentionMs: integer, publish: string, channel: string
-- returns: granted nowMs remainingMs fence | busy nowMs againInMs | late nowMs | withdrawn nowMs
local lock, token, queue, deadlines, contributions, mark = unpack(KEYS)
local owner, leaseMs, fences, waits = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'
local waitMs, foreignWaitMs = tonumber(ARGV[5]), tonumber(ARGV[6])
local retentionMs, publish, channel = tonumber(ARGV[8]), ARGV[9], ARGV[10]
-- Java writes its deadlines by its own clock, which may be this much behind ours.
local CLOCKS_APART_MS = 2000
-- No owner looks more often than this for the end of somebody else's lease.
local SHORTEST_LOOK_MS = 100
-- Java waits for as long as a number can say.
local LONGEST_MS = 10 * 365 * 24 * 60 * 60 * 1000
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[7]) then return { 'late', nowMs } end

local function add(ms, from)
  if ms == 0 then return end
  for _, one in ipairs(redis.call('LRANGE', queue, from, -1)) do
    redis.call('ZADD', deadlines, 'XX', 'INCR', ms, one)
  end
end

local function leave(place, one)
  local contributed = tonumber(redis.call('HGET', contributions, one) or 0)
  redis.call('LREM', queue, 0, one)
  redis.call('ZREM', deadlines, one)
  redis.call('HDEL', contributions, one)
  add(-contributed, place)
end

-- The head has died: its time is over, or it has none. Never the caller, who is plainly alive.
local function staleHead()
  local head = redis.call('LINDEX', queue, 0)
  if not head or head == owner then return nil end
  local deadline = redis.call('ZSCORE', deadlines, head)
  if not deadline then return head end
  local patience = redis.call('HEXISTS', contributions, head) == 1 and 0 or CLOCKS_APART_MS
  return tonumber(deadline) + patience <= nowMs and head or nil
end

-- What would be left of this owner's deadline if everybody before it left now. In a chain it is enough to look at its
-- ends: the one before stands for all that those between have contributed. Java's first can only be guessed.
local function ownDeadline(place)
  local own = tonumber(redis.call('ZSCORE', deadlines, owner))
  if place == 0 then return own end
  local head = redis.call('LINDEX', queue, 0)
  local contributed = tonumber(redis.call('HGET', contributions, head) or foreignWaitMs)
  local first = tonumber(redis.call('ZSCORE', deadlines, head) or nowMs)
  local before = tonumber(redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, place - 1)) or first)
  return own - before + first - contributed
end

local ttlMs = redis.call('PTTL', lock)
if ttlMs ~= -2 and redis.call('HEXISTS', lock, owner) == 1 then
  local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)
  return { 'granted', nowMs, ttlMs, last - fences + 1 }
end
if ttlMs ~= -2 and redis.call('HEXISTS', lock, 'mode') == 1 then
  return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')
end
if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end

local purged = false
for head in staleHead do
  leave(0, head)
  purged = true
end
local head = redis.call('LINDEX', queue, 0)

if ttlMs == -2 and (not head or head == owner) then
  if head then leave(0, owner) end
  local last = redis.call('GET', token)
  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])
  local reserved = fence + fences - 1
  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)
  if retentionMs == 0 then
    redis.call('SET', token, string.format('%.0f', reserved))
  elseif last then
    -- GT: a token that Java keeps for ever has no end, and must not be given one.
    redis.call('SET', token, string.format('%.0f', reserved), 'KEEPTTL')
    redis.call('PEXPIRE', token, keptMs, 'GT')
  else
    redis.call('SET', token, string.format('%.0f', reserved), 'PX', keptMs)
  end
  redis.call('HSET', lock, owner, 1)
  redis.call('PEXPIRE', lock, leaseMs)
  -- A lease that may end before the next in line asks again by itself: it must know of it, for an end tells nobody.
  local next = redis.call('LINDEX', queue, 0)
  if next and leaseMs < waitMs / 3 then redis.call(publish, channel .. ':' .. next, '0') end
  return { 'granted', nowMs, leaseMs, fence }
end

local place
if waits then
  if not redis.call('ZSCORE', deadlines, owner) then
    redis.call('LREM', queue, 0, owner)
    local tail = redis.call('LINDEX', queue, -1)
    local chain = tail and redis.call('ZSCORE', deadlines, tail)
    -- The first of the line counts from now, and not, as with Java, from the end of the lease that is being held: its
    -- owner asks again long before, and a dead one should be in the way for no longer than it takes to notice.
    local from = chain and tonumber(chain) or nowMs
    redis.call('ZADD', deadlines, from + waitMs, owner)
    redis.call('RPUSH', queue, owner)
    redis.call('HSET', contributions, owner, waitMs)
  end
  place = redis.call('LPOS', queue, owner)
  local own = ownDeadline(place)
  -- Asked for again: the place is kept for as long as its owner asks, in steps, so that asking often writes seldom.
  if own < nowMs + waitMs / 2 then
    local more = math.ceil(nowMs + waitMs - own)
    redis.call('HINCRBY', contributions, owner, more)
    add(more, place)
  end
  -- Dropped when nobody of ours has stood in line for long: Java's purge leaves our entry in it.
  local tail = redis.call('LINDEX', queue, -1)
  local latest = tonumber(redis.call('ZSCORE', deadlines, tail) or nowMs)
  redis.call('PEXPIRE', contributions, math.min(math.max(waitMs, latest - nowMs), LONGEST_MS) + 600000)
end

-- Whoever finds the head of a free lock's line dead must tell the new one: the release told the dead one.
head = redis.call('LINDEX', queue, 0)
if purged and ttlMs == -2 and head and head ~= owner then redis.call(publish, channel .. ':' .. head, '0') end

-- Who is first waits for the lease to end, whoever is behind for the first to be gone.
local againInMs = waitMs / 3
if head == owner or not head then
  if ttlMs >= 0 then againInMs = math.min(againInMs, ttlMs + 1) end
else
  local deadline = tonumber(redis.call('ZSCORE', deadlines, head) or nowMs)
  if redis.call('HEXISTS', contributions, head) == 0 then deadline = deadline + CLOCKS_APART_MS end
  againInMs = math.min(againInMs, deadline - nowMs)
end
-- One of Java that lets itself in tells nobody how short its lease is: whoever stands behind it must look by itself, at the
-- latest when what is held now could be over.
if place and place > 0 and ttlMs >= 0 then
  local before = redis.call('LINDEX', queue, place - 1)
  if redis.call('HEXISTS', contributions, before) == 0 then
    againInMs = math.min(againInMs, math.max(SHORTEST_LOOK_MS, ttlMs + 1))
  end
end
return { 'busy', nowMs, math.max(1, math.ceil(againInMs)) }
