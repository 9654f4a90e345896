#!lua flags=no-writes
-- Tells the time of the server that owns a key.
-- mirrors: nothing
-- KEYS: key
-- ARGV:
-- returns: nowMs
local time = redis.call('TIME')
return { time[1] * 1000 + math.floor(time[2] / 1000) }
