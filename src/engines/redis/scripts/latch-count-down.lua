#!lua flags=allow-oom
-- Counts down, never below zero, once for all copies of this request; the step that reaches zero tells everybody.
-- mirrors: RCountDownLatch.countDown
-- KEYS: latch, mark, round
-- ARGV: by: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string, roundMs: integer
-- returns: counted nowMs count | late nowMs
local latch, mark, round = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end
local marked = redis.call('GET', mark)
if marked then return { 'counted', nowMs, tonumber(marked) } end
local count = redis.call('GET', latch)
if count and not tonumber(count) then
  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')
end
local left = math.max(0, tonumber(count or 0) - tonumber(ARGV[1]))
if left > 0 then
  redis.call('DECRBY', latch, ARGV[1])
elseif count then
  redis.call('DEL', latch)
  if tonumber(count) > 0 then
    redis.pcall(ARGV[4], ARGV[5], '0')
    -- A waiter that looks only after the latch is closed again finds another round, and knows that it was open.
    local stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)
    redis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))
  end
end
redis.call('SET', mark, left, 'PX', tonumber(ARGV[3]))
return { 'counted', nowMs, left }
