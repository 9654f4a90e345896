#!lua flags=allow-oom
-- Takes a fair lock away from whoever has it, raises the fence and tells whoever is first in line.
-- With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.
-- Once for all copies of this request: a later one would take it from whoever came next.
-- mirrors: RedissonFairLock.forceUnlock
-- KEYS: lock, token, queue, deadlines, contributions, mark
-- ARGV: fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string
-- returns: forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs
local lock, token, queue, deadlines, contributions, mark = unpack(KEYS)
local markMs, retentionMs, publish, channel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]
local CLOCKS_APART_MS = 2000
local MOST_DEAD = 1000
local READ_TOGETHER = 100
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end
local marked = redis.call('GET', mark)
if marked then
  local lastFence, leftMs, taken = string.match(marked, '^(%d+) (%S+) (.*)$')
  if not taken then return { 'not-forced', nowMs } end
  return { 'forced', nowMs, taken, tonumber(lastFence), tonumber(leftMs) }
end
-- Remembered too: a copy that finds somebody else would take it from them.
local function notForced()
  redis.call('SET', mark, '-', 'PX', markMs)
  return { 'not-forced', nowMs }
end

-- The dead at the front, and what they contributed: as in the acquisition they are taken out together.
local gone, owed = {}, 0

local function theDeadLeave()
  if #gone == 0 then return end
  redis.call('LTRIM', queue, #gone, -1)
  redis.call('ZREM', deadlines, unpack(gone))
  redis.call('HDEL', contributions, unpack(gone))
  if owed == 0 then return end
  for _, behind in ipairs(redis.call('LRANGE', queue, 0, -1)) do
    redis.call('ZADD', deadlines, 'XX', 'INCR', -owed, behind)
  end
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

-- The first of the line whose time is not over. If very many before it are dead, the last: as in the release.
local function headOfTheLiving()
  local owners, scores, known, at = {}, {}, {}, 1
  while true do
    if not owners[at] then
      owners = redis.call('LRANGE', queue, #gone, #gone + READ_TOGETHER - 1)
      if #owners == 0 then return nil end
      scores = redis.call('ZMSCORE', deadlines, unpack(owners))
      known = redis.call('HMGET', contributions, unpack(owners))
      at = 1
    end
    local contributed, keptUntil = string.match(known[at] or '0', '^(%S+) ?(%S*)')
    keptUntil = tonumber(keptUntil) or scores[at] and scores[at] - owed + CLOCKS_APART_MS
    if scores[at] and keptUntil > nowMs then return owners[at] end
    if #gone == MOST_DEAD then
      if known[at] then
        redis.call('HSET', contributions, owners[at], (string.gsub(known[at], '^%S+', contributed + owed)))
        owed = 0
      end
      return lastOfTheLiving()
    end
    gone[#gone + 1] = owners[at]
    owed = owed + contributed
    at = at + 1
  end
end

local owner = redis.call('HKEYS', lock)[1]
if not owner then return notForced() end
if redis.call('HEXISTS', lock, 'mode') == 1 then
  return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')
end
local last = redis.call('GET', token) or '0'
if ARGV[1] ~= '' and ARGV[1] ~= last then return notForced() end
if ARGV[2] ~= '' and ARGV[2] ~= owner then return notForced() end
local ttlMs = redis.call('PTTL', lock)
local raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])
local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0
redis.call('SET', token, string.format('%.0f', raised))
-- A fence that is ahead of the clock must be remembered until the clock has caught up.
if not persistent then
  redis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))
end
redis.call('DEL', lock)
local head = headOfTheLiving()
theDeadLeave()
if head then redis.pcall(publish, channel .. ':' .. head, '0') end
redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)
return { 'forced', nowMs, owner, tonumber(last), ttlMs }
