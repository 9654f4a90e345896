#!lua flags=allow-oom
-- Renews many holds of locks, fair locks among them, for the same time. Never shortens one. A hold whose key is now of
-- another kind is gone. The fence is remembered for as long as the hold and the retention after it.
-- mirrors: the watchdog of RLock
-- KEYS: locks*
-- ARGV: retentionMs: integer, leaseMs: integer, owners*: string
-- returns: remainingMs for each, -2 if gone
local remaining, retentionMs, leaseMs = {}, tonumber(ARGV[1]), tonumber(ARGV[2])
for at, lock in ipairs(KEYS) do
  if redis.pcall('HEXISTS', lock, ARGV[2 + at]) == 1 then
    local ttlMs = redis.call('PTTL', lock)
    if ttlMs >= 0 and ttlMs < leaseMs then
      redis.call('PEXPIRE', lock, leaseMs)
      ttlMs = leaseMs
    end
    remaining[at] = ttlMs < 0 and leaseMs or ttlMs
    if retentionMs > 0 then
      local tag = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
      redis.call('PEXPIRE', 'redisson_lock_token:' .. tag, retentionMs + remaining[at], 'GT')
    end
  else
    remaining[at] = -2
  end
end
return remaining
