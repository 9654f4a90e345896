#!lua flags=allow-oom
-- Renews many permits. Never shortens one, and never brings one back whose time is over.
-- mirrors: RPermitExpirableSemaphore.updateLeaseTime
-- KEYS: deadlines*
-- ARGV: ids*: string, leasesMs*: integer
-- returns: remainingMs for each, -2 if gone
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + math.floor(time[2] / 1000)
local remaining = {}
for at, deadlines in ipairs(KEYS) do
  local id, leaseMs = ARGV[at], tonumber(ARGV[#KEYS + at])
  -- The bytes that all permits of the id share are made once, not for each permit.
  local shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)
  local first = tonumber(string.sub(id, 29), 16)
  local function member(place)
    return shared .. string.char(math.floor((first + place) / 256) % 256, (first + place) % 256)
  end
  local score = redis.pcall('ZSCORE', deadlines, member(0))
  local ends = type(score) == 'string' and tonumber(score) or 0
  if ends > nowMs then
    local until_ = math.max(ends, nowMs + leaseMs)
    local place = 0
    while redis.call('ZSCORE', deadlines, member(place)) do
      redis.call('ZADD', deadlines, 'XX', 'GT', until_, member(place))
      place = place + 1
    end
    remaining[at] = until_ - nowMs
  else
    remaining[at] = -2
  end
end
return remaining
