#!lua flags=allow-oom
-- Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has kept all.
-- mirrors: nothing; a quorum of locks needs it
-- KEYS: lock, token, promoted
-- ARGV: owner: string, fence: integer, retentionMs: integer, promotedMs: integer
-- returns: raised upMs | gone
local lock, token, promoted = KEYS[1], KEYS[2], KEYS[3]
local fence, retentionMs, promotedMs = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('GET', lock) ~= ARGV[1] then return { 'gone' } end
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if fence > tonumber(redis.call('GET', token) or 0) then
  local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0
  redis.call('SET', token, string.format('%.0f', fence))
  -- The floor may be far ahead of this server's clock: it goes only when the clock has passed it.
  if not persistent then
    local keptMs = retentionMs + math.max(0, redis.call('PTTL', lock))
    redis.call('PEXPIRE', token, keptMs + math.max(0, math.ceil(fence / 1000) - nowMs))
  end
end
-- Whole seconds, rounded down: a server is never taken for older than it is.
local upMs = (string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)') or 0) * 1000
-- A replica that was promoted may have missed grants, however long it has been up. Redis does not tell when that was. A
-- second replication id tells that it happened, and the first one is new with each promotion: it counts from when it was
-- first seen.
local replication = redis.call('INFO', 'replication')
local id = string.match(replication, 'master_replid:(%x+)')
local earlier = string.match(replication, 'master_replid2:(%x+)')
if id and earlier and string.find(earlier, '[^0]') then
  local seen, sinceMs = string.match(redis.call('GET', promoted) or '', '^(%x+) (%d+)$')
  if seen ~= id or tonumber(sinceMs) > nowMs then sinceMs = nowMs end
  redis.call('SET', promoted, id .. ' ' .. string.format('%.0f', sinceMs))
  if promotedMs > 0 then redis.call('PEXPIRE', promoted, promotedMs) end
  upMs = math.min(upMs, nowMs - sinceMs)
end
return { 'raised', upMs }
