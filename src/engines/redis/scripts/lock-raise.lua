#!lua flags=allow-oom
-- Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has been up.
-- mirrors: nothing; a quorum of locks needs it
-- KEYS: lock, token
-- ARGV: owner: string, fence: integer, retentionMs: integer
-- returns: raised upMs | gone
local lock, token = KEYS[1], KEYS[2]
local fence, retentionMs = tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'gone' } end
if fence > tonumber(redis.call('GET', token) or 0) then
  local time = redis.call('TIME')
  local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
  local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0
  redis.call('SET', token, string.format('%.0f', fence))
  -- The floor may be far ahead of this server's clock: it goes only when the clock has passed it.
  if not persistent then
    local keptMs = retentionMs + math.max(0, redis.call('PTTL', lock))
    redis.call('PEXPIRE', token, keptMs + math.max(0, math.ceil(fence / 1000) - nowMs))
  end
end
-- Whole seconds, rounded down: a server is never taken for older than it is.
local up = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
return { 'raised', (up or 0) * 1000 }
