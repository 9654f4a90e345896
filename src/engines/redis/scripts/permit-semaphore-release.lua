#!lua flags=allow-oom
-- Gives back all permits of one id. One whose time was over is given back too, and reported as no longer held.
-- mirrors: RPermitExpirableSemaphore.tryRelease
-- KEYS: counter, deadlines, mark
-- ARGV: id: string, tombstoneMs: integer, publish: string, channel: string
-- returns: released receivers, -1 if it may not tell them | not-held
local counter, deadlines, mark = KEYS[1], KEYS[2], KEYS[3]
local id, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)

-- The bytes that all permits of the id share are made once: made for each permit, they cost more than all else here.
local shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)
local first = tonumber(string.sub(id, 29), 16)
local function member(at)
  return shared .. string.char(math.floor((first + at) / 256) % 256, (first + at) % 256)
end

local function endOf(at) return tonumber(redis.call('ZSCORE', deadlines, member(at)) or 0) end

local standing = endOf(0) > nowMs
local removed = 0
while redis.call('ZREM', deadlines, member(removed)) == 1 do removed = removed + 1 end
if tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end
if removed == 0 then return { 'not-held' } end
local free = redis.call('INCRBY', counter, removed)
local receivers = free > 0 and redis.pcall(publish, channel, free) or 0
return { standing and 'released' or 'not-held', type(receivers) == 'number' and receivers or -1 }
