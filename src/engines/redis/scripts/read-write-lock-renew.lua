#!lua flags=allow-oom
-- Renews many read and write holds. Never shortens one, and never the hash that other readers count on.
-- mirrors: the watchdogs of RReadWriteLock
-- KEYS: locks*
-- ARGV: retentionMs: integer, owners*: string, sides*: string, leasesMs*: integer
-- returns: remainingMs for each, -2 if gone
local remaining, count, retentionMs = {}, #KEYS, tonumber(ARGV[1])
for at, lock in ipairs(KEYS) do
  local owner, side, leaseMs = ARGV[1 + at], ARGV[1 + count + at], tonumber(ARGV[1 + 2 * count + at])
  local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
  local field = side == 'write' and owner .. ':write' or owner
  local kept = side == 'write' and lock or base .. ':' .. owner .. ':rwlock_timeout:1'
  local ttlMs = redis.pcall('HEXISTS', lock, field) == 1 and redis.call('PTTL', kept) or -2
  if ttlMs ~= -2 then
    if ttlMs >= 0 and ttlMs < leaseMs then
      redis.call('PEXPIRE', kept, leaseMs)
      ttlMs = leaseMs
    end
    if ttlMs < 0 then ttlMs = leaseMs end
    redis.call('PEXPIRE', lock, ttlMs, 'GT')
    if retentionMs > 0 then
      redis.call('PEXPIRE', 'redisson_lock_token:' .. base, retentionMs + ttlMs, 'GT')
    end
  end
  remaining[at] = ttlMs
end
return remaining
