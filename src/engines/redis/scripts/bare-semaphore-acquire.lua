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

-- The clock is nearly always ahead of the last fence: one call reads that one and writes the next.
local clock = time[1] * 1000000 + time[2]
local fence = clock
local written = redis.call('SET', token, fence, 'KEEPTTL', 'GET')
local last = tonumber(written or 0)
if not last then
  redis.call('SET', token, written, 'KEEPTTL')
  error('the token of this name is not a number')
end
if last >= fence then
  fence = last + 1
  redis.call('SET', token, fence, 'KEEPTTL')
end
-- The end is put off once in a while, and not with each grant: that is a call less, for a sixteenth of the retention.
local spanMs = retentionMs / 16
if retentionMs == 0 then
  redis.call('PERSIST', token)
elseif not written or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then
  -- A fence that is ahead of the clock must be remembered until the clock has caught up.
  local keptMs = retentionMs + math.max(0, math.ceil(fence / 1000) - nowMs)
  -- GT: a token that Java keeps for ever has no end, and must not be given one.
  redis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')
end
redis.call('DECRBY', counter, permits)
redis.call('SET', mark, string.format('%.0f', fence), 'PX', markMs)
return { 'granted', nowMs, fence }
