#!lua flags=allow-oom
-- Gives back the write side and tells all who wait, also when the owner goes on reading.
-- mirrors: RReadWriteLock.writeLock().unlock
-- KEYS: lock, mark
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string
-- returns: released receivers, -1 if it may not tell them | not-held
local lock, mark = KEYS[1], KEYS[2]
local owner, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
local mode = redis.call('HGET', lock, 'mode')
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
if not mode then
  if redis.call('EXISTS', lock) == 0 then redis.pcall(publish, channel, '1') end
  return { 'not-held' }
end
if mode ~= 'write' or redis.call('HDEL', lock, owner .. ':write') == 0 then return { 'not-held' } end

local longest, fields = 0, redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
  for count = 1, tonumber(fields[at + 1]) or 0 do
    longest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))
  end
end
if longest > 0 then
  redis.call('HSET', lock, 'mode', 'read')
  redis.call('PEXPIRE', lock, longest)
else
  redis.call('DEL', lock)
end
local receivers = redis.pcall(publish, channel, '1')
return { 'released', type(receivers) == 'number' and receivers or -1 }
