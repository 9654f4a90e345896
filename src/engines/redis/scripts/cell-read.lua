#!lua flags=no-writes
-- Reads a cell and the server's time.
-- mirrors: nothing
-- KEYS: cell
-- ARGV:
-- returns: nowMs version (or empty) document (or empty)
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('HMGET', KEYS[1], 'version', 'document')
return { nowMs, found[1] or '', found[2] or '' }
