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
  local function member(place)
    local hex = string.sub(id, 1, 28) .. string.format('%04x', tonumber(string.sub(id, 29), 16) + place)
    return (string.gsub(hex, '..', function(byte) return string.char(tonumber(byte, 16)) end))
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
