#!lua flags=allow-oom
-- Takes the lock away from whoever has it and raises the fence, so that the resource refuses what it still writes.
-- With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.
-- Once for all copies of this request: a later one would take it from whoever came next.
-- mirrors: nothing; the holder's id is all that RedisLockRegistry looks at
-- KEYS: lock, token, mark
-- ARGV: fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, channel: string, oldChannel: string
-- returns: forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs
local lock, token, mark = KEYS[1], KEYS[2], KEYS[3]
local markMs, retentionMs, channel, oldChannel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]
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

local owner = redis.call('GET', lock)
if not owner then return notForced() end
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
redis.call('UNLINK', lock)
if channel ~= '' then
  redis.pcall('PUBLISH', channel, lock)
  redis.pcall('PUBLISH', oldChannel, lock)
end
redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)
return { 'forced', nowMs, owner, tonumber(last), ttlMs }
