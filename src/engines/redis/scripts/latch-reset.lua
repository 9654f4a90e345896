#!lua
-- Sets the count whatever it was, once for all copies of this request; zero opens the latch and tells everybody.
-- mirrors: RCountDownLatch.delete, which leaves those who wait asleep
-- KEYS: latch, mark, round
-- ARGV: count: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string, roundMs: integer
-- returns: counted nowMs count | late nowMs
local latch, mark, round = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end
if redis.call('GET', mark) then return { 'counted', nowMs, tonumber(ARGV[1]) } end
local count = redis.call('GET', latch)
if count and not tonumber(count) then
  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')
end
local wasOpen = not count or tonumber(count) <= 0
if ARGV[1] ~= '0' then
  redis.call('SET', latch, ARGV[1])
  redis.pcall(ARGV[4], ARGV[5], '1')
elseif redis.call('DEL', latch) == 1 then
  redis.pcall(ARGV[4], ARGV[5], '0')
end
if wasOpen ~= (ARGV[1] == '0') then
  -- A waiter that looks only after the latch is closed again finds another round, and knows that it was open.
  local stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)
  redis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))
end
redis.call('SET', mark, 1, 'PX', tonumber(ARGV[3]))
return { 'counted', nowMs, tonumber(ARGV[1]) }
