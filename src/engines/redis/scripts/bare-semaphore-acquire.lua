#!lua
-- Takes permits off the counter. The counter knows no owner, so a mark for this request tells its copies what came of it.
-- mirrors: RSemaphore.tryAcquire, RSemaphore.trySetPermits
-- KEYS: counter, token, mark
-- ARGV: permits: integer, total: integer, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string
-- returns: granted nowMs fence | busy nowMs | late nowMs | withdrawn nowMs
local counter, token, mark = KEYS[1], KEYS[2], KEYS[3]
local permits, total, markMs, retentionMs = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end

local marked = redis.call('GET', mark)
if marked == 'out' or marked == 'released' then return { 'withdrawn', nowMs } end
if marked then return { 'granted', nowMs, tonumber(marked) } end
local free = redis.call('GET', counter)
if not free then
  redis.call('SET', counter, total)
  redis.pcall(ARGV[6], ARGV[7], total)
  free = total
end
if not tonumber(free) then
  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')
end
if tonumber(free) < permits then return { 'busy', nowMs } end

local last = redis.call('GET', token)
local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])
local keptMs = retentionMs + math.max(0, math.ceil(fence / 1000) - nowMs)
if retentionMs == 0 then
  redis.call('SET', token, string.format('%.0f', fence))
elseif last then
  -- GT: a token that Java keeps for ever has no end, and must not be given one.
  redis.call('SET', token, string.format('%.0f', fence), 'KEEPTTL')
  redis.call('PEXPIRE', token, keptMs, 'GT')
else
  redis.call('SET', token, string.format('%.0f', fence), 'PX', keptMs)
end
redis.call('DECRBY', counter, permits)
redis.call('SET', mark, string.format('%.0f', fence), 'PX', markMs)
return { 'granted', nowMs, fence }
