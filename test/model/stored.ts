import type { Reply } from '../../src/engines/redis/driver.ts';

/** Tells everything about some keys at one instant. Bytes that are no text are shown in hexadecimal. */
export const DUMP = `
local time = redis.call('TIME')
local found = { time[1] * 1000 + math.floor(time[2] / 1000) }
local function shown(member)
  if not string.find(member, '[^%w%p]') then return member end
  return (string.gsub(member, '.', function(byte) return string.format('%02x', string.byte(byte)) end))
end
local read = {
  string = function(key) return { redis.call('GET', key) } end,
  hash = function(key) return redis.call('HGETALL', key) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  zset = function(key)
    local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for at = 1, #members, 2 do members[at] = shown(members[at]) end
    return members
  end,
}
for _, key in ipairs(KEYS) do
  local type = redis.call('TYPE', key).ok
  if type ~= 'none' then found[#found + 1] = { key, redis.call('PTTL', key), read[type](key) } end
end
return found`;

/**
 * Time has passed for these keys: each ends so much sooner, and whose time was over is gone. All sorted sets in the
 * layout are of deadlines, among which one number means never; of the places in a fair lock's line the hash knows two
 * times too, among what else it knows of each; another hash knows until when each reader was promised its hold.
 */
export const PASS = `
local ms = tonumber(ARGV[1])
for _, key in ipairs(KEYS) do
  local endsAt = redis.call('PEXPIRETIME', key)
  if endsAt > 0 then redis.call('PEXPIREAT', key, endsAt - ms) end
  if string.find(key, 'holdfast_lock_wait:', 1, true) == 1 then
    local places = redis.call('HGETALL', key)
    for at = 1, #places, 2 do
      local contributed, keptUntil, letInMs, offeredAt, fences =
        string.match(places[at + 1], '^(%S+) (%S+) (%S+) (%S+) (%S+)$')
      local earlier = { contributed, keptUntil - ms, letInMs, letInMs == '0' and 0 or offeredAt - ms, fences }
      redis.call('HSET', key, places[at], table.concat(earlier, ' '))
    end
  elseif string.find(key, 'holdfast_read_until:', 1, true) == 1 then
    local ends = redis.call('HGETALL', key)
    for at = 1, #ends, 2 do redis.call('HSET', key, ends[at], string.format('%.0f', ends[at + 1] - ms)) end
  elseif redis.call('TYPE', key).ok == 'zset' then
    local members = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for at = 1, #members, 2 do
      if tonumber(members[at + 1]) < 922337203685477 then redis.call('ZINCRBY', key, -ms, members[at]) end
    end
  end
end
return 0`;

interface StoredKey {
  readonly remainingMs: number;
  readonly content: readonly string[];
}

/** What Redis keeps under some keys. */
export class Stored {
  /** The server's time when it was read. */
  readonly atMs: number;
  readonly #keys: ReadonlyMap<string, StoredKey>;

  constructor(reply: Reply) {
    const [atMs, ...keys] = reply as readonly [number, ...(readonly [string, number, readonly string[]])[]];
    this.atMs = atMs;
    this.#keys = new Map(keys.map(([key, remainingMs, content]) => [key, { remainingMs, content }]));
  }

  keys(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** How long until the key ends: Infinity if never, 0 if there is none. */
  remainingMs(key: string): number {
    const ms = this.#keys.get(key)?.remainingMs ?? 0;
    return ms === -1 ? Infinity : ms;
  }

  text(key: string): string | undefined {
    return this.#keys.get(key)?.content[0];
  }

  list(key: string): readonly string[] {
    return this.#keys.get(key)?.content ?? [];
  }

  /** The fields and values of a hash, or the members of a sorted set and their scores. */
  pairs(key: string): readonly (readonly [string, string])[] {
    const content = this.list(key);
    return content.flatMap((one, at) => (at % 2 === 0 ? [[one, content[at + 1]!] as const] : []));
  }

  /** The members of a sorted set of deadlines and how long each has left. */
  deadlines(key: string): ReadonlyMap<string, number> {
    return new Map(this.pairs(key).map(([member, score]) => [member, Number(score) - this.atMs]));
  }
}
