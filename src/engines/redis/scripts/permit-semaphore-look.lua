#!lua flags=no-writes
-- Tells how many permits are taken, and by which ids until when.
-- mirrors: RPermitExpirableSemaphore.acquiredPermits, getPermits
-- KEYS: counter, deadlines
-- ARGV:
-- returns: nowMs free (or empty) (id untilMs)*
local counter, deadlines = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local free = redis.call('GET', counter)
if free and not tonumber(free) then
  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')
end
local members = redis.call('ZRANGE', deadlines, 0, -1, 'WITHSCORES')
local answer = { nowMs, free or '' }
for at = 1, #members, 2 do
  answer[#answer + 1] = (string.gsub(members[at], '.', function(byte) return string.format('%02x', string.byte(byte)) end))
  answer[#answer + 1] = tonumber(members[at + 1])
end
return answer
