#!lua flags=no-writes
-- Tells who writes and who reads.
-- mirrors: RReadWriteLock.readLock().isLocked, RReadWriteLock.writeLock().isLocked
-- KEYS: lock, token
-- ARGV:
-- returns: ttlMs lastFence mode (field ttlMs fence)*
local lock, token = KEYS[1], KEYS[2]
local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
local ttlMs = redis.call('PTTL', lock)
local answer = { ttlMs, tonumber(redis.call('GET', token) or 0), redis.call('HGET', lock, 'mode') or '' }
local fields = redis.call('HGETALL', lock)
for at = 1, #fields, 2 do
  if string.sub(fields[at], -6) == ':write' then
    answer[#answer + 1] = fields[at]
    answer[#answer + 1] = ttlMs
    answer[#answer + 1] = answer[2]
  elseif fields[at] ~= 'mode' then
    local longest = 0
    for count = 1, tonumber(fields[at + 1]) or 0 do
      longest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))
    end
    local fence = tonumber(redis.call('GET', base .. ':' .. fields[at] .. ':rwlock_timeout:1') or 0)
    answer[#answer + 1] = fields[at]
    answer[#answer + 1] = longest
    -- Java writes 1 there, and gives its readers no fence.
    answer[#answer + 1] = fence == 1 and 0 or fence
  end
end
return answer
