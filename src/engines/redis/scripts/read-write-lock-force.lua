#!lua flags=allow-oom
-- Takes one side away: the writer, or the readers. With a fence, only the writer or the reader that has it;
-- with an owner, only that one.
-- Once for all copies of this request: a later one would take it from whoever came next.
-- mirrors: RReadWriteLock.readLock().forceUnlock, RReadWriteLock.writeLock().forceUnlock
-- KEYS: lock, token, mark
-- ARGV: side: string, fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string
-- returns: forced nowMs owner fence ttlMs | not-forced nowMs | late nowMs
local lock, token, mark = KEYS[1], KEYS[2], KEYS[3]
local side, wanted, wantedOwner = ARGV[1], ARGV[2], ARGV[3]
local markMs, retentionMs, publish, channel = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end
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

local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
if redis.call('HGET', lock, 'mode') ~= side then return notForced() end
local last = redis.call('GET', token) or '0'
local ttlMs = redis.call('PTTL', lock)

local function raiseFence()
  local raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])
  local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0
  redis.call('SET', token, string.format('%.0f', raised))
  -- A fence that is ahead of the clock must be remembered until the clock has caught up.
  if not persistent then
    redis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))
  end
end

if side == 'write' then
  if wanted ~= '' and wanted ~= last then return notForced() end
  local owner, fields = nil, redis.call('HKEYS', lock)
  for _, field in ipairs(fields) do
    if string.sub(field, -6) == ':write' then owner = string.sub(field, 1, -7) end
  end
  if wantedOwner ~= '' and wantedOwner ~= owner then return notForced() end
  redis.call('HDEL', 'holdfast_read_until:' .. base, unpack(fields))
  raiseFence()
  redis.call('DEL', lock)
  redis.pcall(publish, channel, '1')
  redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)
  return { 'forced', nowMs, owner, tonumber(last), ttlMs }
end

local taken, fence, longest, fields = nil, 0, 0, redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
  local owner = fields[at]
  if owner ~= 'mode' then
    local hold = base .. ':' .. owner .. ':rwlock_timeout:'
    local own = redis.call('GET', hold .. 1)
    if (wanted == '' or wanted == own) and (wantedOwner == '' or wantedOwner == owner) then
      -- Told of is the first. Java writes 1 there, and gives its readers no fence.
      if not taken then taken, fence = owner, own and own ~= '1' and tonumber(own) or 0 end
      redis.call('HDEL', lock, owner)
      -- Java leaves these to end by themselves. A renewal would find its hold still standing.
      redis.call('DEL', hold .. 1)
      redis.call('HDEL', 'holdfast_read_until:' .. base, owner)
    else
      for count = 1, tonumber(fields[at + 1]) or 0 do
        longest = math.max(longest, redis.call('PTTL', hold .. count))
      end
    end
  end
end
if not taken then return notForced() end
raiseFence()
if longest > 0 then
  redis.call('PEXPIRE', lock, longest)
else
  redis.call('DEL', lock)
  redis.pcall(publish, channel, '0')
end
redis.call('SET', mark, string.format('%.0f', fence) .. ' ' .. ttlMs .. ' ' .. taken, 'PX', markMs)
return { 'forced', nowMs, taken, fence, ttlMs }
