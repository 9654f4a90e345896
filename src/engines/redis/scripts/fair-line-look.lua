#!lua flags=no-writes
-- Shows who stands in the line of a fair lock, the first at first.
-- mirrors: nothing
-- KEYS: queue, deadlines, contributions
-- ARGV: most: integer
-- returns: nowMs (owner deadlineMs (or empty) count)*
local time = redis.call('TIME')
local answer = { time[1] * 1000 + math.floor(time[2] / 1000) }
for _, owner in ipairs(redis.call('LRANGE', KEYS[1], 0, ARGV[1] - 1)) do
  answer[#answer + 1] = owner
  answer[#answer + 1] = redis.call('ZSCORE', KEYS[2], owner) or ''
  -- Several of ours may stand at one place; the fifth number is how many.
  local known = redis.call('HGET', KEYS[3], owner) or ''
  answer[#answer + 1] = tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)$')) or 1
end
return answer
