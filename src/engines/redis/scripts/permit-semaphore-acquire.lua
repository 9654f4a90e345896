#!lua
-- Takes permits for one id. A permit is a member of 16 raw bytes with the time of its end; several of one id differ in
-- their last two bytes.
-- mirrors: RPermitExpirableSemaphore.tryAcquire, RPermitExpirableSemaphore.trySetPermits
-- KEYS: counter, deadlines, token, mark
-- ARGV: id: string, permits: integer, total: integer, leaseMs: integer, notAfterMs: integer, retentionMs: integer, publish: string, channel: string
-- returns: granted nowMs remainingMs fence | busy nowMs againInMs | mismatch nowMs total | late nowMs | withdrawn nowMs
local counter, deadlines, token, mark = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local id, permits, total, leaseMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local retentionMs, publish, channel = tonumber(ARGV[6]), ARGV[7], ARGV[8]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
if nowMs > tonumber(ARGV[5]) then return { 'late', nowMs } end

-- The bytes that all permits of the id share are made once: made for each permit, they cost more than all else here.
local shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)
local first = tonumber(string.sub(id, 29), 16)
local function member(at)
  return shared .. string.char(math.floor((first + at) / 256) % 256, (first + at) % 256)
end

local function nextFence()
  -- The clock is nearly always ahead of the last fence: one call reads that one and writes the next.
  local clock = time[1] * 1000000 + time[2]
  local fence = clock
  local written = redis.call('SET', token, fence, 'KEEPTTL', 'GET')
  local last = tonumber(written or 0)
  if not last then
    redis.call('SET', token, written, 'KEEPTTL')
    error('the token of this name is not a number')
  end
  if last >= fence then
    fence = last + 1
    redis.call('SET', token, fence, 'KEEPTTL')
  end
  -- The end is put off once in a while, and not with each grant: that is a call less, for a sixteenth of the retention.
  local spanMs = retentionMs / 16
  if retentionMs == 0 then
    redis.call('PERSIST', token)
  elseif not written or leaseMs > spanMs or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then
    -- A fence that is ahead of the clock must be remembered until the clock has caught up.
    local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)
    -- GT: a token that Java keeps for ever has no end, and must not be given one.
    redis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')
  end
  return fence
end

local free = redis.call('GET', counter)
if free and not tonumber(free) then
  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')
end
local own = tonumber(redis.call('ZSCORE', deadlines, member(0)) or 0)
if own > nowMs then return { 'granted', nowMs, own - nowMs, nextFence() } end
if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end
if not free then
  -- The number went, by eviction or by hand, and permits may be left: those that have ended do not count.
  redis.call('ZREMRANGEBYSCORE', deadlines, 0, nowMs)
  free = total - redis.call('ZCARD', deadlines)
  redis.call('SET', counter, free)
  if free > 0 then redis.pcall(publish, channel, free) end
end
local all = tonumber(free) + redis.call('ZCARD', deadlines)
if all ~= total then return { 'mismatch', nowMs, all } end

local ended = redis.call('ZRANGEBYSCORE', deadlines, 0, nowMs)
for _, one in ipairs(ended) do redis.call('ZREM', deadlines, one) end
if #ended > 0 then
  free = redis.call('INCRBY', counter, #ended)
  if free > 0 then redis.pcall(publish, channel, free) end
end
if tonumber(free) < permits then
  local soonest = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')
  return { 'busy', nowMs, soonest[2] and tonumber(soonest[2]) - nowMs or -1 }
end
-- First of all: if the token is not a number it fails, and nothing may have been taken by then.
local fence = nextFence()
redis.call('DECRBY', counter, permits)
for at = 0, permits - 1 do redis.call('ZADD', deadlines, nowMs + leaseMs, member(at)) end
local ttlMs = redis.call('PTTL', counter)
if ttlMs > 0 then redis.call('PEXPIRE', deadlines, ttlMs) end
return { 'granted', nowMs, leaseMs, fence }
