#!lua flags=allow-oom
-- Renews many read and write holds. Never shortens one, and never the hash that other readers count on. Of a read hold it
-- also tells what the hash had left if that was less than the hold was promised: a watchdog of Java has cut it.
-- mirrors: the watchdogs of RReadWriteLock
-- KEYS: locks*
-- ARGV: retentionMs: integer, owners*: string, sides*: string, leasesMs*: integer
-- returns: remainingMs for each, -2 if gone; then for each cutToMs, -1 if nobody has cut it
local remaining, cut, count, retentionMs = {}, {}, #KEYS, tonumber(ARGV[1])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
-- The two ends of a hold are each rounded to a millisecond.
local ROUNDED_MS = 5
for at, lock in ipairs(KEYS) do
  local owner, side, leaseMs = ARGV[1 + at], ARGV[1 + count + at], tonumber(ARGV[1 + 2 * count + at])
  local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
  local field = side == 'write' and owner .. ':write' or owner
  local kept = side == 'write' and lock or base .. ':' .. owner .. ':rwlock_timeout:1'
  local promised = 'holdfast_read_until:' .. base
  local ttlMs = redis.pcall('HEXISTS', lock, field) == 1 and redis.call('PTTL', kept) or -2
  cut[at] = -1
  -- A reader that is gone keeps its promise: this answer may be lost, and then the reader believes until the promise ends.
  if side == 'read' and ttlMs ~= -2 then
    local hashMs, untilMs = redis.call('PTTL', lock), tonumber(redis.call('HGET', promised, owner) or 0)
    if hashMs >= 0 and hashMs < untilMs - nowMs - ROUNDED_MS then cut[at] = hashMs end
  end
  if ttlMs ~= -2 then
    if ttlMs >= 0 and ttlMs < leaseMs then
      redis.call('PEXPIRE', kept, leaseMs)
      ttlMs = leaseMs
    end
    if ttlMs < 0 then ttlMs = leaseMs end
    redis.call('PEXPIRE', lock, ttlMs, 'GT')
    if side == 'read' then
      -- Never sooner than before: the reader believes the longest answer, and a watchdog of Java may have cut the key.
      local untilMs = math.max(tonumber(redis.call('HGET', promised, owner) or 0), nowMs + ttlMs)
      redis.call('HSET', promised, owner, untilMs)
      if redis.call('PTTL', promised) < untilMs - nowMs then redis.call('PEXPIRE', promised, untilMs - nowMs) end
    end
    if retentionMs > 0 then
      redis.call('PEXPIRE', 'redisson_lock_token:' .. base, retentionMs + ttlMs, 'GT')
    end
  end
  remaining[at] = ttlMs
end
for at = 1, count do remaining[count + at] = cut[at] end
return remaining
