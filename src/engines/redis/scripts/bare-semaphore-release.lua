#!lua flags=allow-oom
-- Gives permits back, once for all copies of this request, and refuses copies of its acquisition from then on.
-- Whoever does not know whether its acquisition was carried out says so, and the mark decides.
-- mirrors: RSemaphore.release
-- KEYS: counter, mark
-- ARGV: permits: integer, known: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string
-- returns: released nowMs receivers | not-held nowMs | late nowMs
local counter, mark = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local marked = redis.call('GET', mark)
if marked == 'released' then return { 'released', nowMs, 0 } end
if nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end
if not marked and ARGV[2] == '0' or marked == 'out' then
  redis.call('SET', mark, 'out', 'PX', tonumber(ARGV[4]))
  return { 'not-held', nowMs }
end
local free = redis.call('INCRBY', counter, ARGV[1])
redis.call('SET', mark, 'released', 'PX', tonumber(ARGV[4]))
-- Java cannot bear a negative number here; and where none is free nobody need be told.
local receivers = free > 0 and redis.pcall(ARGV[5], ARGV[6], free) or 0
return { 'released', nowMs, type(receivers) == 'number' and receivers or -1 }
