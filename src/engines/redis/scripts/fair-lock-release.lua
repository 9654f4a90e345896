#!lua flags=allow-oom
-- Gives back a fair lock, or the place in its line, and tells whoever is first in line if the lock is free then.
-- mirrors: RedissonFairLock.unlockInner, RedissonFairLock.acquireFailed
-- KEYS: lock, queue, deadlines, contributions, mark
-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string
-- returns: released waiters | not-held
local lock, queue, deadlines, contributions, mark = unpack(KEYS)
local owner, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local CLOCKS_APART_MS = 2000
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

local function leave(place, one)
  local contributed = tonumber(string.match(redis.call('HGET', contributions, one) or '0', '^%S+'))
  redis.call('LREM', queue, 0, one)
  redis.call('ZREM', deadlines, one)
  redis.call('HDEL', contributions, one)
  if contributed == 0 then return end
  for _, behind in ipairs(redis.call('LRANGE', queue, place, -1)) do
    redis.call('ZADD', deadlines, 'XX', 'INCR', -contributed, behind)
  end
end

local function staleHead()
  local head = redis.call('LINDEX', queue, 0)
  if not head then return nil end
  local deadline = redis.call('ZSCORE', deadlines, head)
  if not deadline then return head end
  local known = redis.call('HGET', contributions, head)
  local keptUntil = known and string.match(known, '%S+$') or deadline + CLOCKS_APART_MS
  return tonumber(keptUntil) <= nowMs and head or nil
end

local held = redis.call('HEXISTS', lock, owner) == 1
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
if held then
  redis.call('DEL', lock)
else
  local place = redis.call('LPOS', queue, owner)
  if place then leave(place, owner) end
end
for head in staleHead do leave(0, head) end
local head = redis.call('LINDEX', queue, 0)
if head and redis.call('EXISTS', lock) == 0 then redis.call(publish, channel .. ':' .. head, '0') end
if not held then return { 'not-held' } end
return { 'released', redis.call('LLEN', queue) }
