#!lua flags=allow-oom
-- Renews many holds of Spring locks. Never shortens one. A hold whose key is now of another kind is gone.
-- mirrors: RedisLockRegistry.renewLock
-- KEYS: locks*
-- ARGV: owners*: string, leasesMs*: integer
-- returns: remainingMs for each, -2 if gone
local remaining = {}
for at, lock in ipairs(KEYS) do
  local leaseMs = tonumber(ARGV[#KEYS + at])
  if redis.pcall('GET', lock) == ARGV[at] then
    local ttlMs = redis.call('PTTL', lock)
    if ttlMs >= 0 and ttlMs < leaseMs then
      redis.call('PEXPIRE', lock, leaseMs)
      ttlMs = leaseMs
    end
    remaining[at] = ttlMs < 0 and leaseMs or ttlMs
  else
    remaining[at] = -2
  end
end
return remaining
