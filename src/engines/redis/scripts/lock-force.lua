#!lua flags=allow-oom
-- Takes the lock away from whoever has it and raises the fence, so that the resource refuses what it still writes.
-- With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.
-- Once for all copies of this request: a later one would take it from whoever came next.
-- mirrors: RLock.forceUnlock
-- KEYS: lock, token, mark, crowd
-- ARGV: fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string
-- returns: forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs
local lock, token, mark, crowd = unpack(KEYS)
local markMs, retentionMs, publish, channel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]
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
local receivers = redis.pcall(publish, channel, '0')
-- How many listen by a pattern to all channels.
local watchers = 0
if type(receivers) == 'number' and receivers > 0 and publish == 'PUBLISH' then
  watchers = receivers - (redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or receivers)
end
-- The client that has waited longest in the crowd is told, and one behind it if it no longer listens.
repeat
  local nextOwner = redis.call('ZPOPMIN', crowd)[1]
until not nextOwner or redis.pcall(publish, channel .. ':' .. string.sub(nextOwner, 1, 32), '0') ~= watchers
redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)
return { 'forced', nowMs, owner, tonumber(last), ttlMs }
