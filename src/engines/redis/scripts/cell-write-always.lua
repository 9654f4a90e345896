#!lua flags=allow-oom
-- As cell-write, and also where the server is out of memory: for what adds nothing. Replaces a cell if it is still the one that the decision was made on, and while the time that it was made for holds.
-- mirrors: nothing
-- KEYS: cell
-- ARGV: expected: string, version: string, document: string, notBeforeMs: integer, notAfterMs: integer, ttlMs: integer, publish: string, channel: string, message: string
-- returns: written nowMs | conflict nowMs version document
local cell = KEYS[1]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('HMGET', cell, 'version', 'document')
if (found[1] or '') ~= ARGV[1] or nowMs < tonumber(ARGV[4]) or nowMs >= tonumber(ARGV[5]) then
  return { 'conflict', nowMs, found[1] or '', found[2] or '' }
end
redis.call('HSET', cell, 'version', ARGV[2], 'document', ARGV[3])
local ttlMs = tonumber(ARGV[6])
if ttlMs > 0 then redis.call('PEXPIRE', cell, ttlMs) else redis.call('PERSIST', cell) end
if ARGV[9] ~= '' then redis.pcall(ARGV[7], ARGV[8], ARGV[9]) end
return { 'written', nowMs }
