#!lua
-- Takes a free lock for one owner, or tells how long its holder has left.
-- A repeated request is told what is left of its grant; it is never counted twice.
-- A grant beside a crowd says so: its release is to wake a client of it.
-- mirrors: RLock.tryLock, RFencedLock.tryLockAndGetToken
-- KEYS: lock, token, mark, crowd
-- ARGV: owner: string, leaseMs: integer, fences: integer, notAfterMs: integer, retentionMs: integer
-- returns: fence | granted nowMs remainingMs fence | granted nowMs remainingMs fence crowd | busy nowMs ttlMs | late nowMs | withdrawn nowMs
local lock, token, mark, crowd = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end

local beside
-- One call for all: of a lock that is free, was not withdrawn and has no crowd no key is there.
if redis.call('EXISTS', lock, mark, crowd) > 0 then
  local ttlMs = redis.call('PTTL', lock)
  if ttlMs ~= -2 then
    if redis.call('HEXISTS', lock, owner) == 1 then
      -- Only eviction can have taken the token while the lock is held: the clock is ahead of what it was.
      local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)
      return { 'granted', nowMs, ttlMs, last - fences + 1, 'crowd' }
    end
    if redis.call('HEXISTS', lock, 'mode') == 1 then
      return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')
    end
    return { 'busy', nowMs, ttlMs }
  end
  -- Its owner has given up since this copy was sent.
  if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end
  beside = 'crowd'
end

-- The clock is nearly always ahead of the last fence: one call reads that one and writes the next.
local clock = time[1] * 1000000 + time[2]
local fence = clock
local reserved = fence + fences - 1
local written = redis.call('SET', token, reserved, 'KEEPTTL', 'GET')
local last = tonumber(written or 0)
if not last then
  redis.call('SET', token, written, 'KEEPTTL')
  error('the token of this name is not a number')
end
if last >= fence then
  fence = last + 1
  reserved = fence + fences - 1
  redis.call('SET', token, reserved, 'KEEPTTL')
end
-- The end is put off once in a while, and not with each grant: that is a call less, for a sixteenth of the retention.
local spanMs = retentionMs / 16
if retentionMs == 0 then
  redis.call('PERSIST', token)
elseif not written or leaseMs > spanMs or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then
  -- A fence that is ahead of the clock must be remembered until the clock has caught up.
  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)
  -- GT: a token that Java keeps for ever has no end, and must not be given one.
  redis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')
end
-- Text as it came: to format a number costs more than a call has to.
redis.call('HSET', lock, owner, '1')
redis.call('PEXPIRE', lock, ARGV[2])
-- A fence that is the time tells when it was given, and for how long is known to whoever asked: one number says it all. To
-- write a list of four and to read it takes longer than three of the calls above.
if fence == clock and not beside then return fence end
return { 'granted', nowMs, leaseMs, fence, beside }
