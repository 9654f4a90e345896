#!lua
-- Sets the count of an open latch, once for all copies of this request.
-- mirrors: RCountDownLatch.trySetCount
-- KEYS: latch, mark, round
-- ARGV: count: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string, roundMs: integer
-- returns: set nowMs 1 or 0 | late nowMs
local latch, mark, round = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end
local marked = redis.call('GET', mark)
if marked then return { 'set', nowMs, tonumber(marked) } end
local count = redis.call('GET', latch)
if count and not tonumber(count) then
  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')
end
local open = not count or tonumber(count) <= 0
if open then
  redis.call('SET', latch, ARGV[1])
  redis.pcall(ARGV[4], ARGV[5], '1')
  -- A waiter that looks only after the latch is closed again finds another round, and knows that it was open.
  local stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)
  redis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))
end
redis.call('SET', mark, open and 1 or 0, 'PX', tonumber(ARGV[3]))
return { 'set', nowMs, open and 1 or 0 }
