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

-- One command names so many places: the stack of Lua takes 8000 words.
local AT_ONCE = 1000

-- A command with all these words, in as many calls as the stack of Lua needs.
local function callWith(words, command, key, ...)
  local parts = { ... }
  for first = 1, #words, AT_ONCE do
    local some = { command, key, unpack(parts) }
    for at = first, math.min(first + AT_ONCE - 1, #words) do some[#some + 1] = words[at] end
    redis.call(unpack(some))
  end
end

-- Takes the dead at the front out of the line, all of them together, and what they have contributed off all those behind.
-- Returns the first that lives.
local function headOfTheLiving()
  local gone, owed, head = {}, 0, nil
  repeat
    local owners = redis.call('LRANGE', queue, #gone, #gone + AT_ONCE / 10 - 1)
    if #owners == 0 then break end
    local scores = redis.call('ZMSCORE', deadlines, unpack(owners))
    local known = redis.call('HMGET', contributions, unpack(owners))
    for at, one in ipairs(owners) do
      local contributed, keptUntil = string.match(known[at] or '', '^(%S+) (%S+)')
      local untilMs = scores[at] and (keptUntil or scores[at] - owed + CLOCKS_APART_MS)
      if untilMs and tonumber(untilMs) > nowMs then
        head = one
        break
      end
      gone[#gone + 1] = one
      owed = owed + (contributed or 0)
    end
  until head
  if #gone == 0 then return head end
  redis.call('LTRIM', queue, #gone, -1)
  callWith(gone, 'ZREM', deadlines)
  callWith(gone, 'HDEL', contributions)
  if owed == 0 then return head end
  local behind, moved = redis.call('LRANGE', queue, 0, -1), {}
  for first = 1, #behind, AT_ONCE do
    local scores = redis.call('ZMSCORE', deadlines, unpack(behind, first, math.min(first + AT_ONCE - 1, #behind)))
    for at, score in ipairs(scores) do
      if score then
        moved[#moved + 1] = score - owed
        moved[#moved + 1] = behind[first + at - 1]
      end
    end
  end
  callWith(moved, 'ZADD', deadlines, 'XX')
  return head
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
if head then redis.pcall(publish, channel .. ':' .. head, '0') end
redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)
return { 'forced', nowMs, owner, tonumber(last), ttlMs }
