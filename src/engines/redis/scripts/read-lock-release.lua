#!lua flags=allow-oom
-- Gives back a read hold. The last one out tells those who wait; one that leaves only dead readers behind counts as last.
-- mirrors: RReadWriteLock.readLock().unlock
-- KEYS: lock, mark
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string
-- returns: released receivers, -1 if it may not tell them | not-held
local lock, mark = KEYS[1], KEYS[2]
local owner, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
local mode = redis.call('HGET', lock, 'mode')
redis.call('HDEL', 'holdfast_read_until:' .. base, owner)
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
if not mode then
  if redis.call('EXISTS', lock) == 0 then redis.pcall(publish, channel, '0') end
  return { 'not-held' }
end

-- The time of the longest read hold that is left; zero if only dead readers are.
local function longestMs()
  local longest, fields = 0, redis.call('HGETALL', lock)
  for at = 1, #fields, 2 do
    for count = 1, tonumber(fields[at + 1]) or 0 do
      longest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))
    end
  end
  return longest
end

local held = redis.call('HEXISTS', lock, owner) == 1
if held then redis.call('HDEL', lock, owner) end
local stood = redis.call('DEL', base .. ':' .. owner .. ':rwlock_timeout:1') == 1
if not held then return { 'not-held' } end
local answer = stood and 'released' or 'not-held'
-- The writer's own time is the time of the hash: to cut it to that of a reader would let somebody in beside the writer.
if mode == 'write' then return { answer, 0 } end
if redis.call('HLEN', lock) > 1 then
  local longest = longestMs()
  if longest > 0 then
    redis.call('PEXPIRE', lock, longest)
    return { answer, 0 }
  end
end
redis.call('DEL', lock)
local receivers = redis.pcall(publish, channel, '0')
return { answer, type(receivers) == 'number' and receivers or -1 }
