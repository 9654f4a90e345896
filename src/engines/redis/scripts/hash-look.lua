#!lua flags=no-writes
-- Shows a hash that may be a lock or a read-write lock, and how many stand in the line of a fair one. A hash that has
-- more fields than a lock is not read: it may be anybody's, and of any size.
-- mirrors: RLock.isLocked, RReadWriteLock.readLock().isLocked, RReadWriteLock.writeLock().isLocked
-- KEYS: lock, token, queue, contributions
-- ARGV: most: integer
-- returns: ttlMs lastFence (or empty) inLine mode (or empty) (field count remainingMs fence (or empty))* | nothing if it is neither
local lock, token, queue, contributions = unpack(KEYS)
local found = redis.call('TYPE', lock).ok
local inLine = 0
for _, place in ipairs(redis.pcall('LRANGE', queue, 0, -1)) do
  -- Several of ours may stand at one place; the fifth number is how many.
  local known = redis.pcall('HGET', contributions, place)
  if type(known) ~= 'string' then known = '' end
  inLine = inLine + (tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)$')) or 1)
end
if found == 'none' then return { -2, '', inLine, '' } end
if found ~= 'hash' then return {} end
local mode = redis.call('HGET', lock, 'mode') or ''
if mode == '' and redis.call('HLEN', lock) ~= 1 then return {} end

local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'
local ttlMs, last = redis.call('PTTL', lock), redis.pcall('GET', token)
if type(last) ~= 'string' then last = '' end
local answer = { ttlMs, last, inLine, mode }
local fields = redis.call('HRANDFIELD', lock, ARGV[1], 'WITHVALUES')
for at = 1, #fields, 2 do
  local field, count = fields[at], fields[at + 1]
  if field ~= 'mode' then
    local remainingMs, fence = ttlMs, last
    if mode ~= '' and string.sub(field, -6) ~= ':write' then
      local hold = base .. ':' .. field .. ':rwlock_timeout:'
      remainingMs = 0
      for each = 1, math.min(tonumber(count) or 0, 100) do
        remainingMs = math.max(remainingMs, redis.call('PTTL', hold .. each))
      end
      fence = redis.pcall('GET', hold .. 1)
      -- Java writes 1 there, and gives its readers no fence.
      if type(fence) ~= 'string' or fence == '1' then fence = '' end
    end
    for _, one in ipairs({ field, count, remainingMs, fence }) do answer[#answer + 1] = one end
  end
end
return answer
