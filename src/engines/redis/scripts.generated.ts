// Written by scripts/build-lua.mjs from scripts/*.lua: change those, and run it.
import { script } from './requests/script.ts';

// Lines that several scripts have.
const shared48 =
  "redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)\nreturn { 'forced', nowMs, owner, tonumber(last), ttlMs }";
const shared47 =
  "for count = 1, tonumber(fields[at + 1]) or 0 do\nlongest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))\nend";
const shared46 =
  "\nlocal shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)\nlocal first = tonumber(string.sub(id, 29), 16)";
const shared45 =
  "if redis.call('HEXISTS', lock, 'mode') == 1 then\nreturn redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')\nend";
const shared44 =
  "redis.call('LTRIM', queue, #gone, -1)\nredis.call('ZREM', deadlines, unpack(gone))\nredis.call('HDEL', contributions, unpack(gone))";
const shared43 =
  "local time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end";
const shared42 = shared48 + '\n';
const shared41 =
  "local time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end";
const shared40 =
  "local free = redis.call('GET', counter)\nif free and not tonumber(free) then\nreturn redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')\nend";
const shared39 =
  "\nlocal last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)\nreturn { 'granted', nowMs, ttlMs, last - fences + 1, 'crowd' }\nend";
const shared38 = shared43 + '\n';
const shared37 =
  "scores = redis.call('ZMSCORE', deadlines, unpack(owners))\nknown = redis.call('HMGET', contributions, unpack(owners))\nat = 1\nend";
const shared36 =
  "\nlocal stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)\nredis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))\nend";
const shared35 =
  "local count = redis.call('GET', latch)\nif count and not tonumber(count) then\nreturn redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')\nend";
const shared34 =
  "if type(receivers) ~= 'number' then return -1 end\nif receivers > 0 and publish == 'PUBLISH' then\n\nlocal named = redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or receivers\nreceivers, watchers = named, receivers - named";
const shared33 =
  "local held = redis.call('HDEL', lock, ARGV[1]) == 1\n\nlocal receivers, watchers = 0, 0\nif held then\nreceivers = redis.pcall(publish, channel, '0')";
const shared32 =
  'local owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])\n' +
  shared38;
const shared31 =
  "local longest, fields = 0, redis.call('HGETALL', lock)\nfor at = 1, #fields, 2 do\n" + shared47 + '\nend';
const shared30 =
  "local ttlMs = redis.call('PTTL', lock)\nif ttlMs >= 0 and ttlMs < leaseMs then\nredis.call('PEXPIRE', lock, leaseMs)\nttlMs = leaseMs\nend\nremaining[at] = ttlMs < 0 and leaseMs or ttlMs";
const shared29 =
  "else\nlocal place = redis.call('LPOS', queue, owner)\nif place then leave(place, owner, (numbersOf(redis.call('HGET', contributions, owner)))) end\nend\nlocal head, contributed, leaseMs, fences = headOfTheLiving()\n";
const shared28 =
  "local last = tonumber(written or 0)\nif not last then\nredis.call('SET', token, written, 'KEEPTTL')\nerror('the token of this name is not a number')\nend\nif last >= fence then\nfence = last + 1";
const shared27 =
  "local raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])\nlocal persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\nredis.call('SET', token, string.format('%.0f', raised))\n\nif not persistent then\nredis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))\nend";
const shared26 =
  '\n' +
  shared46 +
  '\nlocal function member(at)\nreturn shared .. string.char(math.floor((first + at) / 256) % 256, (first + at) % 256)\nend';
const shared25 =
  '#!lua flags=allow-oom\n\n\n\n\n\nlocal lock, token, promoted = KEYS[1], KEYS[2], KEYS[3]\nlocal fence, retentionMs, promotedMs = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])';
const shared24 =
  '\nlocal gone, owed = {}, 0\n\nlocal function theDeadLeave()\nif #gone == 0 then return end\n' + shared44;
const shared23 =
  "local spanMs = retentionMs / 16\nif retentionMs == 0 then\nredis.call('PERSIST', token)\nelseif not written or leaseMs > spanMs or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then\n\nlocal keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)\n\nredis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')\nend";
const shared22 =
  "end\n\nlocal woken = 0\nrepeat\nlocal nextOwner = redis.call('ZPOPMIN', crowd)[1]\n\nlocal own = nextOwner and channel .. ':' .. string.sub(nextOwner, 1, 32)\nif own and redis.pcall(publish, own, '0') ~= watchers then woken = 1 end\nuntil woken == 1 or not own";
const shared21 =
  "\n\n\n\n\nlocal latch, mark, round = KEYS[1], KEYS[2], KEYS[3]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end";
const shared20 =
  "local marked = redis.call('GET', mark)\nif marked then\nlocal lastFence, leftMs, taken = string.match(marked, '^(%d+) (%S+) (.*)$')\nif not taken then return { 'not-forced', nowMs } end\nreturn { 'forced', nowMs, taken, tonumber(lastFence), tonumber(leftMs) }\nend\n\nlocal function notForced()\nredis.call('SET', mark, '-', 'PX', markMs)\nreturn { 'not-forced', nowMs }";
const shared19 =
  "#!lua flags=allow-oom\n\n\n\n\n\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal owner, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal mode = redis.call('HGET', lock, 'mode')";
const shared18 = shared21 + "\nlocal marked = redis.call('GET', mark)";
const shared17 =
  "local last = redis.call('GET', token) or '0'\nif ARGV[1] ~= '' and ARGV[1] ~= last then return notForced() end\nif ARGV[2] ~= '' and ARGV[2] ~= owner then return notForced() end\nlocal ttlMs = redis.call('PTTL', lock)\n" +
  shared27;
const shared16 =
  "leave(0, head, contributed)\nlocal fence = nextFence(leaseMs, fences)\nredis.call('HSET', lock, head, 1)\nredis.call('PEXPIRE', lock, leaseMs)\nredis.pcall(publish, channel .. ':' .. head, fence)\nelseif head and (held or redis.call('EXISTS', lock) == 0) then\nredis.pcall(publish, channel .. ':' .. head, '0')\nend\nif not held then return { 'not-held' } end\nreturn { 'released', redis.call('LLEN', queue) }\n";
const shared15 = shared41 + '\n' + shared20;
const shared14 =
  shared23 +
  "\nreturn string.format('%.0f', fence)\nend\n\nlocal held = redis.call('HEXISTS', lock, owner) == 1\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end";
const shared13 =
  "end\n\n\n\nlocal function lastOfTheLiving()\nlocal owners = redis.call('LRANGE', queue, -MOST_DEAD, -1)\nlocal known = redis.call('HMGET', contributions, unpack(owners))\nfor at = #owners, 1, -1 do\nlocal keptUntil = known[at] and tonumber(string.match(known[at], '^%S+ (%S+)'))\nif keptUntil and keptUntil > nowMs then return owners[at] end\nend\nreturn owners[#owners]\nend\n\n";
const shared12 = shared15 + '\nend\n';
const shared11 =
  "\nlocal clock = time[1] * 1000000 + time[2]\nlocal fence = clock\nlocal reserved = fence + fences - 1\nlocal written = redis.call('SET', token, reserved, 'KEEPTTL', 'GET')\n" +
  shared28 +
  "\nreserved = fence + fences - 1\nredis.call('SET', token, reserved, 'KEEPTTL')\nend\n";
const shared10 =
  "\nlocal clock = time[1] * 1000000 + time[2]\nlocal fence = clock\nlocal written = redis.call('SET', token, fence, 'KEEPTTL', 'GET')\n" +
  shared28 +
  "\nredis.call('SET', token, fence, 'KEEPTTL')\nend\n\nlocal spanMs = retentionMs / 16\nif retentionMs == 0 then\nredis.call('PERSIST', token)";
const shared9 =
  "\n\n\n\n\nlocal cell = KEYS[1]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal found = redis.call('HMGET', cell, 'version', 'document')\nif (found[1] or '') ~= ARGV[1] or nowMs < tonumber(ARGV[4]) or nowMs >= tonumber(ARGV[5]) then\nreturn { 'conflict', nowMs, found[1] or '', found[2] or '' }\nend\nredis.call('HSET', cell, 'version', ARGV[2], 'document', ARGV[3])\nlocal ttlMs = tonumber(ARGV[6])\nif ttlMs > 0 then redis.call('PEXPIRE', cell, ttlMs) else redis.call('PERSIST', cell) end\nif ARGV[9] ~= '' then redis.pcall(ARGV[7], ARGV[8], ARGV[9]) end\nreturn { 'written', nowMs }\n";
const shared8 =
  "end\n\nlocal owner = redis.call('HKEYS', lock)[1]\nif not owner then return notForced() end\n" +
  shared45 +
  '\n' +
  shared17 +
  "\nredis.call('DEL', lock)";
const shared7 =
  shared34 +
  "\nend\nelseif redis.call('ZREM', crowd, ARGV[1]) == 1 or redis.call('EXISTS', lock) == 1 then\n\nreturn { 'not-held' }\n" +
  shared22 +
  "\nreturn held and receivers + woken or { 'not-held' }\n";
const shared6 = shared11 + '\n' + shared23;
const shared5 = '\n' + shared6;
const shared4 =
  '\nlocal function nextFence()\n' +
  shared10 +
  "\nelseif not written or leaseMs > spanMs or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then\n\nlocal keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)\n\nredis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')\nend\nreturn fence\nend\n";
const shared3 =
  "local time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif fence > tonumber(redis.call('GET', token) or 0) then\nlocal persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\nredis.call('SET', token, string.format('%.0f', fence))\n\nif not persistent then\nlocal keptMs = retentionMs + math.max(0, redis.call('PTTL', lock))\nredis.call('PEXPIRE', token, keptMs + math.max(0, math.ceil(fence / 1000) - nowMs))\nend\nend\n\nlocal upMs = (string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)') or 0) * 1000\n\n\n\nlocal replication = redis.call('INFO', 'replication')\nlocal id = string.match(replication, 'master_replid:(%x+)')\nlocal earlier = string.match(replication, 'master_replid2:(%x+)')\nif id and earlier and string.find(earlier, '[^0]') then\nlocal seen, sinceMs = string.match(redis.call('GET', promoted) or '', '^(%x+) (%d+)$')\nif seen ~= id or tonumber(sinceMs) > nowMs then sinceMs = nowMs end\nredis.call('SET', promoted, id .. ' ' .. string.format('%.0f', sinceMs))\nif promotedMs > 0 then redis.call('PEXPIRE', promoted, promotedMs) end\nupMs = math.min(upMs, nowMs - sinceMs)\nend\nreturn { 'raised', upMs }\n";
const shared2 =
  'end\n' + shared5 + "\n\nredis.call('HSET', lock, owner, '1')\nredis.call('PEXPIRE', lock, ARGV[2])\n";
const shared1 =
  shared4 +
  "\nlocal mode = redis.call('HGET', lock, 'mode')\nif not mode and redis.call('EXISTS', lock) == 1 then\nreturn redis.error_reply('HOLDFASTFOREIGN another kind of lock is kept under this name')\nend";
const shared0 =
  "\n\n\n\n\n\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal owner, tombstoneMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])\nlocal publish, channel = ARGV[4], ARGV[5]\n\nlocal CLOCKS_APART_MS = 2000\n\n\nlocal LATELY = 0.3\nlocal MOST_DEAD = 1000\nlocal READ_TOGETHER = 100\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\nlocal function takeOff(contributed, place)\nif contributed == 0 then return end\nfor _, behind in ipairs(redis.call('LRANGE', queue, place, -1)) do\nredis.call('ZADD', deadlines, 'XX', 'INCR', -contributed, behind)\nend\nend\n\n\nlocal function leave(place, one, contributed)\nredis.call('LREM', queue, 0, one)\nredis.call('ZREM', deadlines, one)\nredis.call('HDEL', contributions, one)\ntakeOff(contributed, place)\nend\n\n\n\nlocal function numbersOf(known)\nlocal numbers = {}\nfor number in string.gmatch(known or '0', '%S+') do numbers[#numbers + 1] = tonumber(number) end\nreturn unpack(numbers)\nend\n\n" +
  shared24 +
  '\ntakeOff(owed, 0)\n' +
  shared13 +
  "\n\nlocal function headOfTheLiving()\nlocal owners, scores, known, at = {}, {}, {}, 1\nwhile true do\nif not owners[at] then\n\nowners = redis.call('LRANGE', queue, #gone, #gone == 0 and 0 or #gone + READ_TOGETHER - 1)\nif #owners == 0 then\ntheDeadLeave()\nreturn nil\nend\n" +
  shared37 +
  "\nlocal one, deadline = owners[at], scores[at] and scores[at] - owed\nlocal contributed, keptUntil, letInMs, offeredAt, fences = numbersOf(known[at])\nif deadline and (keptUntil or deadline + CLOCKS_APART_MS) > nowMs then\ntheDeadLeave()\nlocal isLately = (letInMs or 0) > 0 and nowMs - offeredAt <= letInMs * LATELY\nreturn one, contributed, isLately and offeredAt + letInMs - nowMs or nil, fences\nend\nif #gone == MOST_DEAD then\nif known[at] then\nredis.call('HSET', contributions, one, (string.gsub(known[at], '^%S+', contributed + owed)))\nowed = 0\nend\ntheDeadLeave()\nreturn lastOfTheLiving()\nend\ngone[#gone + 1] = one\nowed = owed + contributed\nat = at + 1\nend\nend\n\n\nlocal function nextFence(leaseMs, fences)\n" +
  shared11;

/**
 * Takes permits off the counter. The counter knows no owner, so a mark for this request tells its copies what came of it.
 *
 * Mirrors RSemaphore.tryAcquire, RSemaphore.trySetPermits. Answers granted nowMs fence | busy nowMs | late nowMs | withdrawn nowMs.
 */
export const bareSemaphoreAcquire = script(
  '#!lua\n\n\n\n\n\nlocal counter, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal permits, total, markMs, retentionMs = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])\n' +
    shared41 +
    "\n\nlocal marked = redis.call('GET', mark)\nif marked == 'out' or marked == 'released' then return { 'withdrawn', nowMs } end\nif marked then return { 'granted', nowMs, tonumber(marked) } end\nlocal free = redis.call('GET', counter)\nif not free then\nredis.call('SET', counter, total)\nredis.pcall(ARGV[6], ARGV[7], total)\nfree = total\nend\nif not tonumber(free) then\nreturn redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')\nend\nif tonumber(free) < permits then return { 'busy', nowMs } end\n\n" +
    shared10 +
    "\nelseif not written or math.floor(last / 1000 / spanMs) ~= math.floor(clock / 1000 / spanMs) then\n\nlocal keptMs = retentionMs + math.max(0, math.ceil(fence / 1000) - nowMs)\n\nredis.call('PEXPIRE', token, keptMs, written and 'GT' or 'NX')\nend\nredis.call('DECRBY', counter, permits)\nredis.call('SET', mark, string.format('%.0f', fence), 'PX', markMs)\nreturn { 'granted', nowMs, fence }\n",
  (
    keys: { readonly counter: string; readonly token: string; readonly mark: string },
    args: {
      readonly permits: number;
      readonly total: number;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    '3655bff95beb75106f0be298f332791b875aff34',
    '3',
    keys.counter,
    keys.token,
    keys.mark,
    String(args.permits),
    String(args.total),
    String(args.notAfterMs),
    String(args.markMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Gives permits back, once for all copies of this request, and refuses copies of its acquisition from then on.
 * Whoever does not know whether its acquisition was carried out says so, and the mark decides.
 *
 * Mirrors RSemaphore.release. Answers released nowMs receivers | not-held nowMs | late nowMs.
 */
export const bareSemaphoreRelease = script(
  "#!lua flags=allow-oom\n\n\n\n\n\n\nlocal counter, mark = KEYS[1], KEYS[2]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal marked = redis.call('GET', mark)\nif marked == 'released' then return { 'released', nowMs, 0 } end\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\nif not marked and ARGV[2] == '0' or marked == 'out' then\nredis.call('SET', mark, 'out', 'PX', tonumber(ARGV[4]))\nreturn { 'not-held', nowMs }\nend\nlocal free = redis.call('INCRBY', counter, ARGV[1])\nredis.call('SET', mark, 'released', 'PX', tonumber(ARGV[4]))\n\nlocal receivers = free > 0 and redis.pcall(ARGV[5], ARGV[6], free) or 0\nreturn { 'released', nowMs, type(receivers) == 'number' and receivers or -1 }\n",
  (
    keys: { readonly counter: string; readonly mark: string },
    args: {
      readonly permits: number;
      readonly known: number;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    'a896d98910af130fe2b29873022f559246f058f5',
    '2',
    keys.counter,
    keys.mark,
    String(args.permits),
    String(args.known),
    String(args.notAfterMs),
    String(args.markMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Reads a cell and the server's time.
 *
 * Mirrors nothing. Answers nowMs version (or empty) document (or empty).
 */
export const cellRead = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal found = redis.call('HMGET', KEYS[1], 'version', 'document')\nreturn { nowMs, found[1] or '', found[2] or '' }\n",
  (keys: { readonly cell: string }) => [
    'EVALSHA',
    '9d1575488dff50d9ee494fac0d11ba6db671e2a0',
    '1',
    keys.cell,
  ],
);

/**
 * As cell-write, and also where the server is out of memory: for what adds nothing. Replaces a cell if it is still the one that the decision was made on, and while the time that it was made for holds.
 *
 * Mirrors nothing. Answers written nowMs | conflict nowMs version document.
 */
export const cellWriteAlways = script(
  '#!lua flags=allow-oom\n' + shared9,
  (
    keys: { readonly cell: string },
    args: {
      readonly expected: string;
      readonly version: string;
      readonly document: string;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
      readonly ttlMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly message: string;
    },
  ) => [
    'EVALSHA',
    '79a0032bf9c4f920dc784fac7b049ec25f5b3d27',
    '1',
    keys.cell,
    args.expected,
    args.version,
    args.document,
    String(args.notBeforeMs),
    String(args.notAfterMs),
    String(args.ttlMs),
    args.publish,
    args.channel,
    args.message,
  ],
);

/**
 * Replaces a cell if it is still the one that the decision was made on, and while the time that it was made for holds.
 * Refused by a server that is out of memory; what adds nothing is then sent again as cell-write-always.
 *
 * Mirrors nothing. Answers written nowMs | conflict nowMs version document.
 */
export const cellWrite = script(
  '#!lua\n\n' + shared9,
  (
    keys: { readonly cell: string },
    args: {
      readonly expected: string;
      readonly version: string;
      readonly document: string;
      readonly notBeforeMs: number;
      readonly notAfterMs: number;
      readonly ttlMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly message: string;
    },
  ) => [
    'EVALSHA',
    '5377d89abfdf719dceb95b1f3ec70e6c16b73f9c',
    '1',
    keys.cell,
    args.expected,
    args.version,
    args.document,
    String(args.notBeforeMs),
    String(args.notAfterMs),
    String(args.ttlMs),
    args.publish,
    args.channel,
    args.message,
  ],
);

/**
 * Tells the number of a semaphore or a latch.
 *
 * Mirrors RSemaphore.availablePermits, RCountDownLatch.getCount. Answers the number, or empty if there is none.
 */
export const counterLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nreturn { redis.call('GET', KEYS[1]) or '' }\n",
  (keys: { readonly counter: string }) => [
    'EVALSHA',
    '9e3ed7acf1fe83933b2a3450972e7215e873e9d0',
    '1',
    keys.counter,
  ],
);

/**
 * Shows who stands in the line of a fair lock, the first at first.
 *
 * Mirrors nothing. Answers nowMs (owner deadlineMs (or empty) count)*.
 */
export const fairLineLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal time = redis.call('TIME')\nlocal answer = { time[1] * 1000 + math.floor(time[2] / 1000) }\nfor _, owner in ipairs(redis.call('LRANGE', KEYS[1], 0, ARGV[1] - 1)) do\nanswer[#answer + 1] = owner\nanswer[#answer + 1] = redis.call('ZSCORE', KEYS[2], owner) or ''\n\nlocal known = redis.call('HGET', KEYS[3], owner) or ''\nanswer[#answer + 1] = tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)$')) or 1\nend\nreturn answer\n",
  (
    keys: { readonly queue: string; readonly deadlines: string; readonly contributions: string },
    args: { readonly most: number },
  ) => [
    'EVALSHA',
    '8b26f8609202a4c0ba1d162bb9dbe91b33cbc070',
    '3',
    keys.queue,
    keys.deadlines,
    keys.contributions,
    String(args.most),
  ],
);

/**
 * Takes a fair lock if it is free and nobody stands before this owner; else gives the owner a place in line.
 * Deadlines form a chain: each score is that of the one before plus what its owner contributed, and whoever leaves
 * takes its contribution off all those behind. Those of Java follow from the chain, and Java's own departures subtract
 * them. Of ours a hash keeps "contributed keptUntil letInMs offeredAt fences": the second is the deadline that the place has
 * by itself. The third is the lease with which whoever gives the lock back may let its owner in, 0 if the owner has to ask for
 * it; the fourth is when that was offered first, from when the lease counts. The last is how many stand there together.
 * A waiter of Java that was interrupted or whose client was shut down leaves its place behind and stops listening. Whoever of
 * Java's has not been seen to listen for absentMs is passed over; if it lives, it takes a new place when it next asks.
 *
 * Mirrors RedissonFairLock.tryLockInner. Answers granted nowMs remainingMs fence | busy nowMs againInMs | late nowMs | withdrawn nowMs.
 */
export const fairLockAcquire = script(
  "#!lua\n\n\n\n\n\n\n\n\n\n\n\n\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal owner, leaseMs, fences, waits = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'\nlocal waitMs, foreignWaitMs = tonumber(ARGV[5]), tonumber(ARGV[6])\nlocal retentionMs, publish, channel = tonumber(ARGV[8]), ARGV[9], ARGV[10]\nlocal letInMs, absentMs = ARGV[11] == '1' and leaseMs or 0, tonumber(ARGV[12])\n\nlocal CLOCKS_APART_MS = 2000\n\nlocal SEEN_PLACES = 16\n\nlocal MOST_DEAD = 1000\n\nlocal READ_TOGETHER = 100\n\nlocal SHORTEST_LOOK_MS = 100\n\nlocal LONGEST_MS = 10 * 365 * 24 * 60 * 60 * 1000\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[7]) then return { 'late', nowMs } end\nlocal offeredAt = letInMs > 0 and nowMs or 0\n\nlocal function add(ms, from)\nif ms == 0 then return end\nfor _, one in ipairs(redis.call('LRANGE', queue, from, -1)) do\nredis.call('ZADD', deadlines, 'XX', 'INCR', ms, one)\nend\nend\n\n\nlocal function placeOf(one, deadline, known)\nlocal place = { owner = one, deadline = tonumber(deadline) }\nif known then\nlocal numbers = {}\nfor number in string.gmatch(known, '%S+') do numbers[#numbers + 1] = tonumber(number) end\nplace.contributed, place.keptUntil, place.letInMs, place.offeredAt, place.fences = unpack(numbers)\nend\nreturn place\nend\n\nlocal function lookAt(one)\nif not one then return {} end\nreturn placeOf(one, redis.call('ZSCORE', deadlines, one), redis.call('HGET', contributions, one))\nend\n\n\nlocal function placesFrom(first)\nlocal owners = redis.call('LRANGE', queue, first, first + READ_TOGETHER - 1)\nif #owners == 0 then return owners end\nlocal scores = redis.call('ZMSCORE', deadlines, unpack(owners))\nlocal known = redis.call('HMGET', contributions, unpack(owners))\nfor at, one in ipairs(owners) do owners[at] = placeOf(one, scores[at], known[at]) end\nreturn owners\nend\n\nlocal function remember(place)\nlocal known = { place.contributed, place.keptUntil, place.letInMs, place.offeredAt, place.fences }\nredis.call('HSET', contributions, place.owner, table.concat(known, ' '))\nend\n\nlocal head\n\nlocal owed = 0\nlocal absences = 'holdfast_lock_absent:' .. (string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}')\n\nlocal function headLeaves()\nredis.call('LREM', queue, 0, head.owner)\nredis.call('ZREM', deadlines, head.owner)\nredis.call('HDEL', contributions, head.owner)\nif absentMs > 0 and not head.contributed then redis.call('HDEL', absences, head.owner) end\nadd(-(head.contributed or 0), 0)\nhead = lookAt(redis.call('LINDEX', queue, 0))\nend\n\n\nlocal function headKeptMs()\nreturn (head.keptUntil or head.deadline + CLOCKS_APART_MS) - nowMs\nend\n\n\nlocal function headIsDead()\nif not head.owner or head.owner == owner then return false end\nreturn not head.deadline or headKeptMs() <= 0\nend\n\n\n\n\nlocal function absentSince(one)\nlocal since, deadline = string.match(redis.call('HGET', absences, one) or '', '^(%S+) (%S+)$')\nreturn since and deadline == redis.call('ZSCORE', deadlines, one) and tonumber(since) or nil\nend\n\n\n\nlocal function seeWhoListens()\nlocal owners, command = {}, { 'PUBSUB', 'NUMSUB' }\nfor _, one in ipairs(redis.call('LRANGE', queue, 0, SEEN_PLACES - 1)) do\nif one == owner then break end\nif redis.call('HEXISTS', contributions, one) == 0 then\nowners[#owners + 1] = one\ncommand[#command + 1] = channel .. ':' .. one\nend\nend\nif #owners == 0 then return end\nlocal replication = redis.pcall('INFO', 'replication')\nif type(replication) ~= 'string' or not string.find(replication, 'connected_slaves:0', 1, true) then return end\nlocal listeners = redis.pcall(unpack(command))\nif listeners.err then return end\nfor at, one in ipairs(owners) do\nif listeners[2 * at] > 0 then\nredis.call('HDEL', absences, one)\nelseif not absentSince(one) then\nredis.call('HSET', absences, one, nowMs .. ' ' .. (redis.call('ZSCORE', deadlines, one) or ''))\nend\nend\nredis.call('PEXPIRE', absences, 6 * absentMs)\nend\n\n\nlocal function headAbsentInMs()\n\nif owed ~= 0 then return nil end\nif absentMs == 0 or not head.owner or head.contributed or head.owner == owner then return nil end\nlocal since = absentSince(head.owner)\nreturn since and since + absentMs - nowMs or nil\nend\n\nlocal function headIsAbsent()\nlocal inMs = headAbsentInMs()\nreturn inMs ~= nil and inMs <= 0\nend\n\n\n\nlocal function theDeadLeave()\nlocal gone, behind, at = {}, {}, 0\nwhile #gone < MOST_DEAD and (headIsDead() or headIsAbsent()) do\ngone[#gone + 1] = head.owner\nowed = owed + (head.contributed or 0)\nat = at + 1\nif not behind[at] then behind, at = placesFrom(#gone), 1 end\nhead = behind[at] or {}\nif head.deadline then head.deadline = head.deadline - owed end\nend\nif #gone == 0 then return 0 end\n" +
    shared44 +
    "\nif absentMs > 0 then redis.call('HDEL', absences, unpack(gone)) end\nif #gone == MOST_DEAD and head.contributed and headIsDead() then\n\nhead.contributed, head.deadline = head.contributed + owed, head.deadline and head.deadline + owed\nremember(head)\nelse\nadd(-owed, 0)\nend\nowed = 0\nreturn #gone\nend\n\n\n\n\nlocal function chainFromNow()\nlocal before, chained\nfor _, one in ipairs(redis.call('LRANGE', queue, 0, -1)) do\nlocal place = lookAt(one)\nif place.deadline then\nif place.contributed then\nplace.contributed = math.max(0, place.keptUntil - nowMs)\nremember(place)\nchained = (chained or nowMs) + place.contributed\nelse\nchained = chained + place.deadline - before\nend\nredis.call('ZADD', deadlines, chained, one)\nbefore = place.deadline\nend\nend\nend\n\nlocal ttlMs = redis.call('PTTL', lock)\nif ttlMs ~= -2 then\nlocal held, mode = unpack(redis.call('HMGET', lock, owner, 'mode'))\nif held then\nlocal last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)\nreturn { 'granted', nowMs, ttlMs, last - fences + 1 }\nend\nif mode then return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name') end\nend\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\n\nhead = lookAt(redis.call('LINDEX', queue, 0))\nif absentMs > 0 and head.owner and not head.contributed and head.owner ~= owner then seeWhoListens() end\nlocal purged = theDeadLeave()\n\nif purged == MOST_DEAD and headIsDead() then return { 'busy', nowMs, 1 } end\n\nif ttlMs == -2 and (not head.owner or head.owner == owner) then\nif head.owner then headLeaves() end\n" +
    shared6 +
    "\nredis.call('HSET', lock, owner, 1)\nredis.call('PEXPIRE', lock, leaseMs)\n\nif head.owner and leaseMs < waitMs / 3 then redis.pcall(publish, channel .. ':' .. head.owner, '0') end\nreturn { 'granted', nowMs, leaseMs, fence }\nend\n\nlocal at\nif waits then\nlocal own = head.owner == owner and head or lookAt(owner)\nif not own.deadline then\nredis.call('LREM', queue, 0, owner)\nif own == head then\nhead = lookAt(redis.call('LINDEX', queue, 0))\nif theDeadLeave() == MOST_DEAD and headIsDead() then return { 'busy', nowMs, 1 } end\nend\nend\nat = own.deadline and redis.call('LPOS', queue, owner)\nlocal changed, isLast = false, false\n\nif at and not own.contributed then\nlocal before = at > 0 and redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, at - 1))\nown.contributed = before and own.deadline - before or 0\nown.keptUntil = before and head.deadline - (head.contributed or foreignWaitMs) + own.contributed or own.deadline\nown.letInMs, own.offeredAt, own.fences = letInMs, offeredAt, fences\nremember(own)\nchanged = true\nend\n\n\n\n\nlocal base = nowMs\nif head.contributed then\nbase = head.deadline - head.contributed\nif math.abs(head.deadline - head.keptUntil) > waitMs / 12 or base < nowMs - waitMs / 2 then\nchainFromNow()\nbase, changed = nowMs, true\nif at then own.contributed = math.max(0, own.keptUntil - nowMs) end\nend\nelseif at then\nbase = own.keptUntil - own.contributed\nend\n\nif not at then\nlocal tail = lookAt(redis.call('LINDEX', queue, -1))\n\nif tail.contributed and not head.contributed then\nbase = tail.keptUntil - tail.contributed\nelseif head.deadline and not head.contributed then\nbase = math.min(head.deadline - foreignWaitMs, nowMs + math.max(0, ttlMs))\nend\nown = { owner = owner, deadline = tail.deadline or nowMs, contributed = 0, keptUntil = 0, fences = fences }\nend\n\nlocal isNews = own.letInMs ~= letInMs\nif isNews then own.letInMs, own.offeredAt = letInMs, offeredAt end\n\n\n\nif own.keptUntil < nowMs + waitMs / 2 then\nlocal contributed = waitMs + (base < nowMs - waitMs / 2 and nowMs - base or 0)\nlocal more = contributed - own.contributed\nown.contributed, own.keptUntil = contributed, base + contributed\nremember(own)\nif at then\nadd(more, at)\nelse\nown.deadline = own.deadline + more\nredis.call('ZADD', deadlines, own.deadline, owner)\nat = redis.call('RPUSH', queue, owner) - 1\nisLast = true\nend\nchanged = true\nelseif isNews then\nremember(own)\nchanged = true\nend\n\nif changed then\nlocal latest = isLast and own.deadline\nor tonumber(redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, -1))) or nowMs\nredis.call('PEXPIRE', contributions, math.min(math.max(waitMs, latest - nowMs), LONGEST_MS) + 600000)\nend\nif at == 0 then head = own end\nend\n\n\nif purged > 0 and ttlMs == -2 and head.owner and head.owner ~= owner then\nredis.pcall(publish, channel .. ':' .. head.owner, '0')\nend\n\n\nlocal againInMs = waitMs / 3\nif head.owner == owner or not head.owner then\nif ttlMs >= 0 then againInMs = math.min(againInMs, ttlMs + 1) end\nelse\nagainInMs = math.min(againInMs, headKeptMs(), headAbsentInMs() or againInMs)\nend\n\n\nif at and at > 0 and ttlMs >= 0 then\nlocal before = redis.call('LINDEX', queue, at - 1)\nif redis.call('HEXISTS', contributions, before) == 0 then\nagainInMs = math.min(againInMs, math.max(SHORTEST_LOOK_MS, ttlMs + 1))\nend\nend\nreturn { 'busy', nowMs, math.max(1, math.ceil(againInMs)) }\n",
  (
    keys: {
      readonly lock: string;
      readonly token: string;
      readonly queue: string;
      readonly deadlines: string;
      readonly contributions: string;
      readonly mark: string;
    },
    args: {
      readonly owner: string;
      readonly leaseMs: number;
      readonly fences: number;
      readonly wait: number;
      readonly waitMs: number;
      readonly foreignWaitMs: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly letIn: number;
      readonly absentMs: number;
    },
  ) => [
    'EVALSHA',
    '89fe68ef54b42e72f0f4aef97295295078927ed7',
    '6',
    keys.lock,
    keys.token,
    keys.queue,
    keys.deadlines,
    keys.contributions,
    keys.mark,
    args.owner,
    String(args.leaseMs),
    String(args.fences),
    String(args.wait),
    String(args.waitMs),
    String(args.foreignWaitMs),
    String(args.notAfterMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
    String(args.letIn),
    String(args.absentMs),
  ],
);

/**
 * Takes a fair lock away from whoever has it, raises the fence and tells whoever is first in line.
 * With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.
 * Once for all copies of this request: a later one would take it from whoever came next.
 *
 * Mirrors RedissonFairLock.forceUnlock. Answers forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs.
 */
export const fairLockForce = script(
  '#!lua flags=allow-oom\n\n\n\n\n\n\n\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal markMs, retentionMs, publish, channel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]\nlocal CLOCKS_APART_MS = 2000\nlocal MOST_DEAD = 1000\nlocal READ_TOGETHER = 100\n' +
    shared12 +
    '\n' +
    shared24 +
    "\nif owed == 0 then return end\nfor _, behind in ipairs(redis.call('LRANGE', queue, 0, -1)) do\nredis.call('ZADD', deadlines, 'XX', 'INCR', -owed, behind)\nend\n" +
    shared13 +
    "\nlocal function headOfTheLiving()\nlocal owners, scores, known, at = {}, {}, {}, 1\nwhile true do\nif not owners[at] then\nowners = redis.call('LRANGE', queue, #gone, #gone + READ_TOGETHER - 1)\nif #owners == 0 then return nil end\n" +
    shared37 +
    "\nlocal contributed, keptUntil = string.match(known[at] or '0', '^(%S+) ?(%S*)')\nkeptUntil = tonumber(keptUntil) or scores[at] and scores[at] - owed + CLOCKS_APART_MS\nif scores[at] and keptUntil > nowMs then return owners[at] end\nif #gone == MOST_DEAD then\nif known[at] then\nredis.call('HSET', contributions, owners[at], (string.gsub(known[at], '^%S+', contributed + owed)))\nowed = 0\nend\nreturn lastOfTheLiving()\nend\ngone[#gone + 1] = owners[at]\nowed = owed + contributed\nat = at + 1\nend\n" +
    shared8 +
    "\nlocal head = headOfTheLiving()\ntheDeadLeave()\nif head then redis.pcall(publish, channel .. ':' .. head, '0') end\n" +
    shared42,
  (
    keys: {
      readonly lock: string;
      readonly token: string;
      readonly queue: string;
      readonly deadlines: string;
      readonly contributions: string;
      readonly mark: string;
    },
    args: {
      readonly fence: string;
      readonly owner: string;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    '094727e23d361985075f589a37a23904390c3d7b',
    '6',
    keys.lock,
    keys.token,
    keys.queue,
    keys.deadlines,
    keys.contributions,
    keys.mark,
    args.fence,
    args.owner,
    String(args.notAfterMs),
    String(args.markMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Gives back a fair lock, or the place in its line, if the time is over for which the hold was to last: then the first in line
 * is let in, if it has lately offered that, and told its fence; else, and if the lock was free before, it is told to ask.
 * Before that time it sets the end of the hold: until then the lock has an owner that no request renews or gives back,
 * and the first in line is told to ask how long that is.
 *
 * Mirrors RedissonFairLock.unlockInner, RedissonFairLock.acquireFailed. Answers released waiters | not-held.
 */
export const fairLockReleaseLater = script(
  '#!lua flags=allow-oom\n\n\n' +
    shared0 +
    '\n' +
    shared14 +
    "\n\nlocal leftMs = math.min(tonumber(ARGV[6]), nowMs) + tonumber(ARGV[7]) - nowMs\nlocal isKept = held and leftMs > 0\nif held then\nredis.call('DEL', lock)\nif isKept then\n\nredis.call('HSET', lock, owner .. '+kept', 1)\nredis.call('PEXPIRE', lock, leftMs)\nend\n" +
    shared29 +
    '\nif held and leaseMs and not isKept then\n' +
    shared16,
  (
    keys: {
      readonly lock: string;
      readonly token: string;
      readonly queue: string;
      readonly deadlines: string;
      readonly contributions: string;
      readonly mark: string;
    },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly grantedMs: number;
      readonly minHoldMs: number;
    },
  ) => [
    'EVALSHA',
    '34ccc09fd3ed110e2e545fa7a66cbe845685f998',
    '6',
    keys.lock,
    keys.token,
    keys.queue,
    keys.deadlines,
    keys.contributions,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
    String(args.grantedMs),
    String(args.minHoldMs),
  ],
);

/**
 * Gives back a fair lock, or the place in its line. Whoever is first in line of a lock that is given back is let in, if it
 * has lately offered that, and told its fence; else, and if the lock was free before, it is told that it may ask.
 *
 * Mirrors RedissonFairLock.unlockInner, RedissonFairLock.acquireFailed. Answers released waiters | not-held.
 */
export const fairLockRelease = script(
  '#!lua flags=allow-oom\n' +
    shared0 +
    '\n' +
    shared14 +
    "\nif held then\nredis.call('DEL', lock)\n" +
    shared29 +
    '\nif held and leaseMs then\n' +
    shared16,
  (
    keys: {
      readonly lock: string;
      readonly token: string;
      readonly queue: string;
      readonly deadlines: string;
      readonly contributions: string;
      readonly mark: string;
    },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    '55f67136f34b91e879a02ee08ddc8b44c8cbaf09',
    '6',
    keys.lock,
    keys.token,
    keys.queue,
    keys.deadlines,
    keys.contributions,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Shows a hash that may be a lock or a read-write lock, and how many stand in the line of a fair one. A hash that has
 * more fields than a lock is not read: it may be anybody's, and of any size.
 *
 * Mirrors RLock.isLocked, RReadWriteLock.readLock().isLocked, RReadWriteLock.writeLock().isLocked. Answers ttlMs lastFence (or empty) inLine mode (or empty) (field count remainingMs fence (or empty))* | nothing if it is neither.
 */
export const hashLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\n\nlocal lock, token, queue, contributions = unpack(KEYS)\nlocal found = redis.call('TYPE', lock).ok\nlocal inLine = 0\nfor _, place in ipairs(redis.pcall('LRANGE', queue, 0, -1)) do\n\nlocal known = redis.pcall('HGET', contributions, place)\nif type(known) ~= 'string' then known = '' end\ninLine = inLine + (tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)$')) or 1)\nend\nif found == 'none' then return { -2, '', inLine, '' } end\nif found ~= 'hash' then return {} end\nlocal mode = redis.call('HGET', lock, 'mode') or ''\nif mode == '' and redis.call('HLEN', lock) ~= 1 then return {} end\n\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal ttlMs, last = redis.call('PTTL', lock), redis.pcall('GET', token)\nif type(last) ~= 'string' then last = '' end\nlocal answer = { ttlMs, last, inLine, mode }\nlocal fields = redis.call('HRANDFIELD', lock, ARGV[1], 'WITHVALUES')\nfor at = 1, #fields, 2 do\nlocal field, count = fields[at], fields[at + 1]\nif field ~= 'mode' then\nlocal remainingMs, fence = ttlMs, last\nif mode ~= '' and string.sub(field, -6) ~= ':write' then\nlocal hold = base .. ':' .. field .. ':rwlock_timeout:'\nremainingMs = 0\nfor each = 1, math.min(tonumber(count) or 0, 100) do\nremainingMs = math.max(remainingMs, redis.call('PTTL', hold .. each))\nend\nfence = redis.pcall('GET', hold .. 1)\n\nif type(fence) ~= 'string' or fence == '1' then fence = '' end\nend\nfor _, one in ipairs({ field, count, remainingMs, fence }) do answer[#answer + 1] = one end\nend\nend\nreturn answer\n",
  (
    keys: {
      readonly lock: string;
      readonly token: string;
      readonly queue: string;
      readonly contributions: string;
    },
    args: { readonly most: number },
  ) => [
    'EVALSHA',
    '2e695ab921eb135d75b78d3611ab73a4d5427b65',
    '4',
    keys.lock,
    keys.token,
    keys.queue,
    keys.contributions,
    String(args.most),
  ],
);

/**
 * Counts down, never below zero, once for all copies of this request; the step that reaches zero tells everybody.
 *
 * Mirrors RCountDownLatch.countDown. Answers counted nowMs count | late nowMs.
 */
export const latchCountDown = script(
  '#!lua flags=allow-oom\n' +
    shared18 +
    "\nif marked then return { 'counted', nowMs, tonumber(marked) } end\n" +
    shared35 +
    "\nlocal left = math.max(0, tonumber(count or 0) - tonumber(ARGV[1]))\nif left > 0 then\nredis.call('DECRBY', latch, ARGV[1])\nelseif count then\nredis.call('DEL', latch)\nif tonumber(count) > 0 then\nredis.pcall(ARGV[4], ARGV[5], '0')\n" +
    shared36 +
    "\nend\nredis.call('SET', mark, left, 'PX', tonumber(ARGV[3]))\nreturn { 'counted', nowMs, left }\n",
  (
    keys: { readonly latch: string; readonly mark: string; readonly round: string },
    args: {
      readonly by: number;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly roundMs: number;
    },
  ) => [
    'EVALSHA',
    '1cc1dc1b4b2cad29ffccdf65c2ebfa2d9d8278d8',
    '3',
    keys.latch,
    keys.mark,
    keys.round,
    String(args.by),
    String(args.notAfterMs),
    String(args.markMs),
    args.publish,
    args.channel,
    String(args.roundMs),
  ],
);

/**
 * Tells the count of a latch, and which time it is that it is closed.
 *
 * Mirrors RCountDownLatch.getCount. Answers the count and the round, each empty if there is none.
 */
export const latchLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nreturn { redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or '' }\n",
  (keys: { readonly latch: string; readonly round: string }) => [
    'EVALSHA',
    'ab177ef4658d90851fea851d68b62698f2f07303',
    '2',
    keys.latch,
    keys.round,
  ],
);

/**
 * Sets the count whatever it was, once for all copies of this request; zero opens the latch and tells everybody.
 *
 * Mirrors RCountDownLatch.delete, which leaves those who wait asleep. Answers counted nowMs count | late nowMs.
 */
export const latchReset = script(
  '#!lua\n' +
    shared21 +
    "\nif redis.call('GET', mark) then return { 'counted', nowMs, tonumber(ARGV[1]) } end\n" +
    shared35 +
    "\nlocal wasOpen = not count or tonumber(count) <= 0\nif ARGV[1] ~= '0' then\nredis.call('SET', latch, ARGV[1])\nredis.pcall(ARGV[4], ARGV[5], '1')\nelseif redis.call('DEL', latch) == 1 then\nredis.pcall(ARGV[4], ARGV[5], '0')\nend\nif wasOpen ~= (ARGV[1] == '0') then\n" +
    shared36 +
    "\nredis.call('SET', mark, 1, 'PX', tonumber(ARGV[3]))\nreturn { 'counted', nowMs, tonumber(ARGV[1]) }\n",
  (
    keys: { readonly latch: string; readonly mark: string; readonly round: string },
    args: {
      readonly count: number;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly roundMs: number;
    },
  ) => [
    'EVALSHA',
    'd474fd94316716d036e6e011e6629b962234ced9',
    '3',
    keys.latch,
    keys.mark,
    keys.round,
    String(args.count),
    String(args.notAfterMs),
    String(args.markMs),
    args.publish,
    args.channel,
    String(args.roundMs),
  ],
);

/**
 * Sets the count of an open latch, once for all copies of this request.
 *
 * Mirrors RCountDownLatch.trySetCount. Answers set nowMs 1 or 0 | late nowMs.
 */
export const latchTrySetCount = script(
  '#!lua\n' +
    shared18 +
    "\nif marked then return { 'set', nowMs, tonumber(marked) } end\n" +
    shared35 +
    "\nlocal open = not count or tonumber(count) <= 0\nif open then\nredis.call('SET', latch, ARGV[1])\nredis.pcall(ARGV[4], ARGV[5], '1')\n" +
    shared36 +
    "\nredis.call('SET', mark, open and 1 or 0, 'PX', tonumber(ARGV[3]))\nreturn { 'set', nowMs, open and 1 or 0 }\n",
  (
    keys: { readonly latch: string; readonly mark: string; readonly round: string },
    args: {
      readonly count: number;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly roundMs: number;
    },
  ) => [
    'EVALSHA',
    '10ab261fe3956289c500dbc988856d94caa9682f',
    '3',
    keys.latch,
    keys.mark,
    keys.round,
    String(args.count),
    String(args.notAfterMs),
    String(args.markMs),
    args.publish,
    args.channel,
    String(args.roundMs),
  ],
);

/**
 * Takes a free lock for an owner that waits and whose client watches, or tells how long its holder has left.
 * Where many clients wait it also says where this one is to listen: a message to all of them would have each ask, and all but
 * one in vain. There each client has a channel of its own, and its owner an entry in the crowd that a release takes out to wake it.
 * An owner that holds the lock already is told what is left of its grant; it is never counted twice.
 *
 * Mirrors RLock.tryLock, RFencedLock.tryLockAndGetToken. Answers granted nowMs remainingMs fence crowd | busy nowMs ttlMs where waiters stood holder | late nowMs | withdrawn nowMs.
 */
export const lockAcquireWaiting = script(
  "#!lua\n\n\n\n\n\n\n\n\nlocal lock, token, mark, crowd = unpack(KEYS)\nlocal owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])\nlocal enters, sinceMs, count, channel = ARGV[6] == '1', tonumber(ARGV[7]), ARGV[8], ARGV[9]\n\nlocal MOST_LISTENERS = 16\n\nlocal LEAST_IN_CROWD = 2\n\nlocal MOST_BESIDE_JAVA = 64\nlocal CROWD_KEPT_MS = 3600000\nlocal LOOKED_AT = 16\n" +
    shared38 +
    "\nlocal function listeners()\nlocal counted = redis.pcall('PUBSUB', count, channel)\nreturn counted.err and 0 or counted[2]\nend\n\n\n\nlocal function theDeadLeave(waiters)\nlocal first = math.floor(nowMs / 64) % waiters\nlocal some = redis.call('ZRANGE', crowd, first, first + LOOKED_AT - 1)\nlocal own = {}\n\nfor at, one in ipairs(some) do own[at] = channel .. ':' .. string.sub(one, 1, 32) end\nlocal counted = redis.pcall('PUBSUB', count, unpack(own))\nfor at, one in ipairs(some) do\nif counted[2 * at] == 0 then redis.call('ZREM', crowd, one) end\nend\nend\n\nlocal there = redis.call('EXISTS', lock, mark)\nif there > 0 then\nlocal ttlMs = redis.call('PTTL', lock)\n\n\nif ttlMs == -2 or there == 2 then return { 'withdrawn', nowMs } end\nlocal fields = redis.call('HKEYS', lock)\nfor _, field in ipairs(fields) do\nif field == owner then\n" +
    shared39 +
    "\nif field == 'mode' then return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name') end\nend\nlocal waiters = redis.call('ZCARD', crowd)\nif waiters < LEAST_IN_CROWD and listeners() <= MOST_LISTENERS then\nif waiters > 0 then redis.call('ZREM', crowd, owner) end\nreturn { 'busy', nowMs, ttlMs, 'lock', 0, 0, fields[1] }\nend\nlocal stood = 0\n\nif enters then\nstood = 1 - redis.call('ZADD', crowd, sinceMs > 0 and sinceMs or nowMs, owner)\n\nlocal isSeldom = nowMs % 64 == 0\nif waiters < LEAST_IN_CROWD or isSeldom then redis.call('PEXPIRE', crowd, CROWD_KEPT_MS) end\nif isSeldom and waiters >= LEAST_IN_CROWD then theDeadLeave(waiters) end\nend\n\nlocal ours = string.find(fields[1], '^%x+:')\n\nif not ours then stood = 0 end\n\n\nlocal both = waiters == 0\nor not ours and (listeners() <= MOST_BESIDE_JAVA or redis.call('ZRANGE', crowd, 0, 0)[1] == owner)\nlocal where = both and 'both' or 'own'\nreturn { 'busy', nowMs, ttlMs, where, waiters, stood, fields[1] }\n" +
    shared2 +
    "\nredis.call('ZREM', crowd, owner)\nreturn { 'granted', nowMs, leaseMs, fence, 'crowd' }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string; readonly crowd: string },
    args: {
      readonly owner: string;
      readonly leaseMs: number;
      readonly fences: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
      readonly enters: number;
      readonly sinceMs: number;
      readonly count: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    '7ceceac3f51dc7f098e0042f7e8f300cab208c10',
    '4',
    keys.lock,
    keys.token,
    keys.mark,
    keys.crowd,
    args.owner,
    String(args.leaseMs),
    String(args.fences),
    String(args.notAfterMs),
    String(args.retentionMs),
    String(args.enters),
    String(args.sinceMs),
    args.count,
    args.channel,
  ],
);

/**
 * Takes a free lock for one owner, or tells how long its holder has left.
 * A repeated request is told what is left of its grant; it is never counted twice.
 * A grant beside a crowd says so: its release is to wake a client of it.
 *
 * Mirrors RLock.tryLock, RFencedLock.tryLockAndGetToken. Answers fence | granted nowMs remainingMs fence | granted nowMs remainingMs fence crowd | busy nowMs ttlMs | late nowMs | withdrawn nowMs.
 */
export const lockAcquire = script(
  '#!lua\n\n\n\n\n\n\n\nlocal lock, token, mark, crowd = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\n' +
    shared32 +
    "\nlocal beside\n\nif redis.call('EXISTS', lock, mark, crowd) > 0 then\nlocal ttlMs = redis.call('PTTL', lock)\nif ttlMs ~= -2 then\nif redis.call('HEXISTS', lock, owner) == 1 then\n" +
    shared39 +
    '\n' +
    shared45 +
    "\nreturn { 'busy', nowMs, ttlMs }\nend\n\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nbeside = 'crowd'\n" +
    shared2 +
    "\n\nif fence == clock and not beside then return fence end\nreturn { 'granted', nowMs, leaseMs, fence, beside }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string; readonly crowd: string },
    args: {
      readonly owner: string;
      readonly leaseMs: number;
      readonly fences: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
    },
  ) => [
    'EVALSHA',
    '55ae13c95d11cbc4edaf5dd2b7e515482b2cdfbe',
    '4',
    keys.lock,
    keys.token,
    keys.mark,
    keys.crowd,
    args.owner,
    String(args.leaseMs),
    String(args.fences),
    String(args.notAfterMs),
    String(args.retentionMs),
  ],
);

/**
 * Takes the lock away from whoever has it and raises the fence, so that the resource refuses what it still writes.
 * With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.
 * Once for all copies of this request: a later one would take it from whoever came next.
 *
 * Mirrors RLock.forceUnlock. Answers forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs.
 */
export const lockForce = script(
  '#!lua flags=allow-oom\n\n\n\n\n\n\n\nlocal lock, token, mark, crowd = unpack(KEYS)\nlocal markMs, retentionMs, publish, channel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]\n' +
    shared15 +
    '\n' +
    shared8 +
    "\nlocal receivers = redis.pcall(publish, channel, '0')\n\nlocal watchers = 0\nif type(receivers) == 'number' and receivers > 0 and publish == 'PUBLISH' then\nwatchers = receivers - (redis.pcall('PUBSUB', 'NUMSUB', channel)[2] or receivers)\nend\n\nrepeat\nlocal nextOwner = redis.call('ZPOPMIN', crowd)[1]\nuntil not nextOwner or redis.pcall(publish, channel .. ':' .. string.sub(nextOwner, 1, 32), '0') ~= watchers\n" +
    shared42,
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string; readonly crowd: string },
    args: {
      readonly fence: string;
      readonly owner: string;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    '1bb595c3510534ecaa77aa6194f25fdfd6fd534f',
    '4',
    keys.lock,
    keys.token,
    keys.mark,
    keys.crowd,
    args.fence,
    args.owner,
    String(args.notAfterMs),
    String(args.markMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Tells who holds a lock, and how many stand in the line of a fair one.
 *
 * Mirrors RLock.isLocked, RLock.remainTimeToLive, RFencedLock.getToken. Answers ttlMs lastFence waiters owner?.
 */
export const lockLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal lock, token, queue, contributions = unpack(KEYS)\nlocal ttlMs = redis.call('PTTL', lock)\nlocal last = tonumber(redis.call('GET', token) or 0)\nlocal waiters = 0\nfor _, place in ipairs(redis.call('LRANGE', queue, 0, -1)) do\n\nlocal known = redis.call('HGET', contributions, place) or ''\nwaiters = waiters + (tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)$')) or 1)\nend\nif ttlMs == -2 then return { ttlMs, last, waiters } end\nreturn { ttlMs, last, waiters, redis.call('HKEYS', lock)[1] }\n",
  (keys: {
    readonly lock: string;
    readonly token: string;
    readonly queue: string;
    readonly contributions: string;
  }) => [
    'EVALSHA',
    '93706c9454a72adf470aa4acfa0e706779b675e1',
    '4',
    keys.lock,
    keys.token,
    keys.queue,
    keys.contributions,
  ],
);

/**
 * Gives back the lock or the place of a waiter, where a copy of the owner's acquisition may still be on its way: leaves a mark
 * that refuses such a copy. For the rest it does what a release does.
 *
 * Mirrors RLock.unlock. Answers receivers, if it was released, -1 if it may not tell them | not-held.
 */
export const lockMarkedRelease = script(
  "#!lua flags=allow-oom\n\n\n\n\n\n\nlocal lock, mark, crowd = KEYS[1], KEYS[2], KEYS[3]\nlocal publish, channel = ARGV[3], ARGV[4]\nredis.call('SET', mark, 'out', 'PX', tonumber(ARGV[2]))\n" +
    shared33 +
    '\n' +
    shared7,
  (
    keys: { readonly lock: string; readonly mark: string; readonly crowd: string },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    'c67dabaf225efd930a35a26f933f994203a3aea1',
    '3',
    keys.lock,
    keys.mark,
    keys.crowd,
    args.owner,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has kept all.
 *
 * Mirrors nothing; a quorum of locks needs it. Answers raised upMs | gone.
 */
export const lockRaise = script(
  shared25 + "\nif redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'gone' } end\n" + shared3,
  (
    keys: { readonly lock: string; readonly token: string; readonly promoted: string },
    args: {
      readonly owner: string;
      readonly fence: number;
      readonly retentionMs: number;
      readonly promotedMs: number;
    },
  ) => [
    'EVALSHA',
    'eb2e72387550a7e51180a0d5331e5afe7e290b3a',
    '3',
    keys.lock,
    keys.token,
    keys.promoted,
    args.owner,
    String(args.fence),
    String(args.retentionMs),
    String(args.promotedMs),
  ],
);

/**
 * Gives back the lock, if this owner has it and the time is over for which it was to last. Else it sets that end: until then
 * the lock has an owner that no request renews or gives back. Tells one waiter in each process either way, and where there is a
 * crowd one client of it: those who wait had counted on a later end.
 * With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
 *
 * Mirrors RLock.unlock. Answers receivers, if it was released, -1 if it may not tell them | not-held.
 */
export const lockReleaseLater = script(
  "#!lua flags=allow-oom\n\n\n\n\n\n\n\n\nlocal lock, mark, crowd = KEYS[1], KEYS[2], KEYS[3]\nlocal publish, channel = ARGV[3], ARGV[4]\nlocal tombstoneMs = tonumber(ARGV[2])\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'not-held' } end\nredis.call('DEL', lock)\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\nlocal leftMs = math.min(tonumber(ARGV[5]), nowMs) + tonumber(ARGV[6]) - nowMs\nif leftMs > 0 then\n\nredis.call('HSET', lock, ARGV[1] .. '+kept', 1)\nredis.call('PEXPIRE', lock, leftMs)\nend\n\nlocal receivers, watchers = redis.pcall(publish, channel, '0'), 0\n" +
    shared34 +
    '\n' +
    shared22 +
    '\nreturn receivers + woken\n',
  (
    keys: { readonly lock: string; readonly mark: string; readonly crowd: string },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly publish: string;
      readonly channel: string;
      readonly grantedMs: number;
      readonly minHoldMs: number;
    },
  ) => [
    'EVALSHA',
    'e709aa3f4573cd7fa4bd12649e41b2f332d5dac6',
    '3',
    keys.lock,
    keys.mark,
    keys.crowd,
    args.owner,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
    String(args.grantedMs),
    String(args.minHoldMs),
  ],
);

/**
 * Gives back the lock, if this owner has it, and tells one waiter in each process; where there is a crowd, one client of it.
 * An owner that does not have it has waited: it leaves the crowd, and passes on a message that was for it.
 * Looks for a crowd if its grant saw one (beside), or if a client listens to the channel of the lock.
 *
 * Mirrors RLock.unlock. Answers receivers, if it was released, -1 if it may not tell them | not-held.
 */
export const lockRelease = script(
  '#!lua flags=allow-oom\n\n\n\n\n\n\n\nlocal lock, crowd = KEYS[1], KEYS[2]\nlocal publish, channel = ARGV[2], ARGV[3]\n\n' +
    shared33 +
    "\n\n\nif receivers == 0 and ARGV[4] == '' then return 0 end\n" +
    shared7,
  (
    keys: { readonly lock: string; readonly crowd: string },
    args: {
      readonly owner: string;
      readonly publish: string;
      readonly channel: string;
      readonly beside: string;
    },
  ) => [
    'EVALSHA',
    '2601a6370651c4a509fa8dc1dda41037ef9e76b6',
    '2',
    keys.lock,
    keys.crowd,
    args.owner,
    args.publish,
    args.channel,
    args.beside,
  ],
);

/**
 * Renews many holds of locks, fair locks among them, for the same time. Never shortens one. A hold whose key is now of
 * another kind is gone. The fence is remembered for as long as the hold and the retention after it.
 *
 * Mirrors the watchdog of RLock. Answers remainingMs for each, -2 if gone.
 */
export const lockRenew = script(
  "#!lua flags=allow-oom\n\n\n\n\n\n\nlocal remaining, retentionMs, leaseMs = {}, tonumber(ARGV[1]), tonumber(ARGV[2])\nfor at, lock in ipairs(KEYS) do\nif redis.pcall('HEXISTS', lock, ARGV[2 + at]) == 1 then\n" +
    shared30 +
    "\nif retentionMs > 0 then\nlocal tag = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nredis.call('PEXPIRE', 'redisson_lock_token:' .. tag, retentionMs + remaining[at], 'GT')\nend\nelse\nremaining[at] = -2\nend\nend\nreturn remaining\n",
  (
    keys: { readonly locks: readonly string[] },
    args: { readonly retentionMs: number; readonly leaseMs: number; readonly owners: readonly string[] },
  ) => [
    'EVALSHA',
    '1bf0c51f131c194476008bd12915b8e9c26a22d2',
    String(keys.locks.length),
    ...keys.locks,
    String(args.retentionMs),
    String(args.leaseMs),
    ...args.owners,
  ],
);

/**
 * Takes permits for one id. A permit is a member of 16 raw bytes with the time of its end; several of one id differ in
 * their last two bytes.
 *
 * Mirrors RPermitExpirableSemaphore.tryAcquire, RPermitExpirableSemaphore.trySetPermits. Answers granted nowMs remainingMs fence | busy nowMs againInMs | mismatch nowMs total | late nowMs | withdrawn nowMs.
 */
export const permitSemaphoreAcquire = script(
  "#!lua\n\n\n\n\n\n\nlocal counter, deadlines, token, mark = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal id, permits, total, leaseMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])\nlocal retentionMs, publish, channel = tonumber(ARGV[6]), ARGV[7], ARGV[8]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[5]) then return { 'late', nowMs } end\n" +
    shared26 +
    '\n' +
    shared4 +
    '\n' +
    shared40 +
    "\nlocal own = tonumber(redis.call('ZSCORE', deadlines, member(0)) or 0)\nif own > nowMs then return { 'granted', nowMs, own - nowMs, nextFence() } end\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nif not free then\n\nredis.call('ZREMRANGEBYSCORE', deadlines, 0, nowMs)\nfree = total - redis.call('ZCARD', deadlines)\nredis.call('SET', counter, free)\nif free > 0 then redis.pcall(publish, channel, free) end\nend\nlocal all = tonumber(free) + redis.call('ZCARD', deadlines)\nif all ~= total then return { 'mismatch', nowMs, all } end\n\nlocal ended = redis.call('ZRANGEBYSCORE', deadlines, 0, nowMs)\nfor _, one in ipairs(ended) do redis.call('ZREM', deadlines, one) end\nif #ended > 0 then\nfree = redis.call('INCRBY', counter, #ended)\nif free > 0 then redis.pcall(publish, channel, free) end\nend\nif tonumber(free) < permits then\nlocal soonest = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')\nreturn { 'busy', nowMs, soonest[2] and tonumber(soonest[2]) - nowMs or -1 }\nend\n\nlocal fence = nextFence()\nredis.call('DECRBY', counter, permits)\nfor at = 0, permits - 1 do redis.call('ZADD', deadlines, nowMs + leaseMs, member(at)) end\nlocal ttlMs = redis.call('PTTL', counter)\nif ttlMs > 0 then redis.call('PEXPIRE', deadlines, ttlMs) end\nreturn { 'granted', nowMs, leaseMs, fence }\n",
  (
    keys: {
      readonly counter: string;
      readonly deadlines: string;
      readonly token: string;
      readonly mark: string;
    },
    args: {
      readonly id: string;
      readonly permits: number;
      readonly total: number;
      readonly leaseMs: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    'b42a361c5d2be6cef70a93720658dbf557e65494',
    '4',
    keys.counter,
    keys.deadlines,
    keys.token,
    keys.mark,
    args.id,
    String(args.permits),
    String(args.total),
    String(args.leaseMs),
    String(args.notAfterMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Tells how many permits are taken, and by which ids until when.
 *
 * Mirrors RPermitExpirableSemaphore.acquiredPermits, getPermits. Answers nowMs free (or empty) (id untilMs)*.
 */
export const permitSemaphoreLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal counter, deadlines = KEYS[1], KEYS[2]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n" +
    shared40 +
    "\nlocal members = redis.call('ZRANGE', deadlines, 0, -1, 'WITHSCORES')\nlocal answer = { nowMs, free or '' }\nfor at = 1, #members, 2 do\nanswer[#answer + 1] = (string.gsub(members[at], '.', function(byte) return string.format('%02x', string.byte(byte)) end))\nanswer[#answer + 1] = tonumber(members[at + 1])\nend\nreturn answer\n",
  (keys: { readonly counter: string; readonly deadlines: string }) => [
    'EVALSHA',
    '8de1df6dd98f97d7532dd9e75e7c5fcf87274181',
    '2',
    keys.counter,
    keys.deadlines,
  ],
);

/**
 * Gives back all permits of one id. One whose time was over is given back too, and reported as no longer held.
 *
 * Mirrors RPermitExpirableSemaphore.tryRelease. Answers released receivers, -1 if it may not tell them | not-held.
 */
export const permitSemaphoreRelease = script(
  "#!lua flags=allow-oom\n\n\n\n\n\nlocal counter, deadlines, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal id, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n" +
    shared26 +
    "\n\nlocal function endOf(at) return tonumber(redis.call('ZSCORE', deadlines, member(at)) or 0) end\n\nlocal standing = endOf(0) > nowMs\nlocal removed = 0\nwhile redis.call('ZREM', deadlines, member(removed)) == 1 do removed = removed + 1 end\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif removed == 0 then return { 'not-held' } end\nlocal free = redis.call('INCRBY', counter, removed)\nlocal receivers = free > 0 and redis.pcall(publish, channel, free) or 0\nreturn { standing and 'released' or 'not-held', type(receivers) == 'number' and receivers or -1 }\n",
  (
    keys: { readonly counter: string; readonly deadlines: string; readonly mark: string },
    args: {
      readonly id: string;
      readonly tombstoneMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    'e4e36328d046d245c56614467438ddf82a4e8511',
    '3',
    keys.counter,
    keys.deadlines,
    keys.mark,
    args.id,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Renews many permits. Never shortens one, and never brings one back whose time is over.
 *
 * Mirrors RPermitExpirableSemaphore.updateLeaseTime. Answers remainingMs for each, -2 if gone.
 */
export const permitSemaphoreRenew = script(
  "#!lua flags=allow-oom\n\n\n\n\n\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal remaining = {}\nfor at, deadlines in ipairs(KEYS) do\nlocal id, leaseMs = ARGV[at], tonumber(ARGV[#KEYS + at])\n" +
    shared46 +
    "\nlocal function member(place)\nreturn shared .. string.char(math.floor((first + place) / 256) % 256, (first + place) % 256)\nend\nlocal score = redis.pcall('ZSCORE', deadlines, member(0))\nlocal ends = type(score) == 'string' and tonumber(score) or 0\nif ends > nowMs then\nlocal until_ = math.max(ends, nowMs + leaseMs)\nlocal place = 0\nwhile redis.call('ZSCORE', deadlines, member(place)) do\nredis.call('ZADD', deadlines, 'XX', 'GT', until_, member(place))\nplace = place + 1\nend\nremaining[at] = until_ - nowMs\nelse\nremaining[at] = -2\nend\nend\nreturn remaining\n",
  (
    keys: { readonly deadlines: readonly string[] },
    args: { readonly ids: readonly string[]; readonly leasesMs: readonly number[] },
  ) => [
    'EVALSHA',
    'bd038643d4ed9b6b2e4809e5dde003508f01fa89',
    String(keys.deadlines.length),
    ...keys.deadlines,
    ...args.ids,
    ...args.leasesMs.map(String),
  ],
);

/**
 * Takes the read side: while nobody writes, or under the owner's own write, whose fence it then shares.
 * It has an id of its own all the same: a late copy of an earlier read's release must not free a later one.
 * The key of the hold, whose value Java never looks at, keeps the fence.
 * Java's watchdog cuts the time of the hash and, before Redisson 4.4, that of this key: until when the hold was promised
 * stands in a hash that only our scripts touch, and a writer of ours waits until then.
 *
 * Mirrors RReadWriteLock.readLock().tryLock. Answers granted nowMs remainingMs fence hashMs | busy nowMs ttlMs | late nowMs | withdrawn nowMs.
 */
export const readLockAcquire = script(
  '#!lua\n\n\n\n\n\n\n\n\n\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal owner, writer, leaseMs, retentionMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[5])\n' +
    shared43 +
    "\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal hold = base .. ':' .. owner .. ':rwlock_timeout:1'\nlocal promised = 'holdfast_read_until:' .. base\n" +
    shared1 +
    "\nif mode and redis.call('HEXISTS', lock, owner) == 1 then\nlocal remainingMs = redis.call('PTTL', hold)\nif remainingMs > 0 then return { 'granted', nowMs, remainingMs, tonumber(redis.call('GET', hold)), redis.call('PTTL', lock) } end\nend\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nif mode == 'write' and redis.call('HEXISTS', lock, writer .. ':write') == 0 then\nreturn { 'busy', nowMs, redis.call('PTTL', lock) }\nend\n\n\nlocal fence = mode == 'write' and tonumber(redis.call('GET', token) or 0) or nextFence()\nif not mode then redis.call('HSET', lock, 'mode', 'read') end\nredis.call('HSET', lock, owner, 1)\nredis.call('SET', hold, string.format('%.0f', fence), 'PX', leaseMs)\nredis.call('HSET', promised, owner, nowMs + leaseMs)\nif redis.call('PTTL', promised) < leaseMs then redis.call('PEXPIRE', promised, leaseMs) end\nlocal hashMs = mode and redis.call('PTTL', lock) or leaseMs\nif not mode or hashMs < leaseMs then redis.call('PEXPIRE', lock, leaseMs) end\nreturn { 'granted', nowMs, leaseMs, fence, hashMs }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string },
    args: {
      readonly owner: string;
      readonly writer: string;
      readonly leaseMs: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
    },
  ) => [
    'EVALSHA',
    '8c2931932bbb62d7f0077c30a7bb414bbfb07ee4',
    '3',
    keys.lock,
    keys.token,
    keys.mark,
    args.owner,
    args.writer,
    String(args.leaseMs),
    String(args.notAfterMs),
    String(args.retentionMs),
  ],
);

/**
 * Gives back a read hold. The last one out tells those who wait; one that leaves only dead readers behind counts as last.
 *
 * Mirrors RReadWriteLock.readLock().unlock. Answers released receivers, -1 if it may not tell them | not-held.
 */
export const readLockRelease = script(
  shared19 +
    "\nredis.call('HDEL', 'holdfast_read_until:' .. base, owner)\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif not mode then\nif redis.call('EXISTS', lock) == 0 then redis.pcall(publish, channel, '0') end\nreturn { 'not-held' }\nend\n\n\nlocal function longestMs()\n" +
    shared31 +
    "\nreturn longest\nend\n\nlocal held = redis.call('HEXISTS', lock, owner) == 1\nif held then redis.call('HDEL', lock, owner) end\nlocal stood = redis.call('DEL', base .. ':' .. owner .. ':rwlock_timeout:1') == 1\nif not held then return { 'not-held' } end\nlocal answer = stood and 'released' or 'not-held'\n\nif mode == 'write' then return { answer, 0 } end\nif redis.call('HLEN', lock) > 1 then\nlocal longest = longestMs()\nif longest > 0 then\nredis.call('PEXPIRE', lock, longest)\nreturn { answer, 0 }\nend\nend\nredis.call('DEL', lock)\nlocal receivers = redis.pcall(publish, channel, '0')\nreturn { answer, type(receivers) == 'number' and receivers or -1 }\n",
  (
    keys: { readonly lock: string; readonly mark: string },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    'ae3a96df6abea5e1adc05c9de983334146178839',
    '2',
    keys.lock,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Takes one side away: the writer, or the readers. With a fence, only the writer or the reader that has it;
 * with an owner, only that one.
 * Once for all copies of this request: a later one would take it from whoever came next.
 *
 * Mirrors RReadWriteLock.readLock().forceUnlock, RReadWriteLock.writeLock().forceUnlock. Answers forced nowMs owner fence ttlMs | not-forced nowMs | late nowMs.
 */
export const readWriteLockForce = script(
  '#!lua flags=allow-oom\n\n\n\n\n\n\n\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal side, wanted, wantedOwner = ARGV[1], ARGV[2], ARGV[3]\nlocal markMs, retentionMs, publish, channel = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]\n' +
    shared43 +
    '\n' +
    shared20 +
    "\nend\n\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nif redis.call('HGET', lock, 'mode') ~= side then return notForced() end\nlocal last = redis.call('GET', token) or '0'\nlocal ttlMs = redis.call('PTTL', lock)\n\nlocal function raiseFence()\n" +
    shared27 +
    "\nend\n\nif side == 'write' then\nif wanted ~= '' and wanted ~= last then return notForced() end\nlocal owner, fields = nil, redis.call('HKEYS', lock)\nfor _, field in ipairs(fields) do\nif string.sub(field, -6) == ':write' then owner = string.sub(field, 1, -7) end\nend\nif wantedOwner ~= '' and wantedOwner ~= owner then return notForced() end\nredis.call('HDEL', 'holdfast_read_until:' .. base, unpack(fields))\nraiseFence()\nredis.call('DEL', lock)\nredis.pcall(publish, channel, '1')\n" +
    shared48 +
    "\nend\n\nlocal taken, fence, longest, fields = nil, 0, 0, redis.call('HGETALL', lock)\nfor at = 1, #fields, 2 do\nlocal owner = fields[at]\nif owner ~= 'mode' then\nlocal hold = base .. ':' .. owner .. ':rwlock_timeout:'\nlocal own = redis.call('GET', hold .. 1)\nif (wanted == '' or wanted == own) and (wantedOwner == '' or wantedOwner == owner) then\n\nif not taken then taken, fence = owner, own and own ~= '1' and tonumber(own) or 0 end\nredis.call('HDEL', lock, owner)\n\nredis.call('DEL', hold .. 1)\nredis.call('HDEL', 'holdfast_read_until:' .. base, owner)\nelse\nfor count = 1, tonumber(fields[at + 1]) or 0 do\nlongest = math.max(longest, redis.call('PTTL', hold .. count))\nend\nend\nend\nend\nif not taken then return notForced() end\nraiseFence()\nif longest > 0 then\nredis.call('PEXPIRE', lock, longest)\nelse\nredis.call('DEL', lock)\nredis.pcall(publish, channel, '0')\nend\nredis.call('SET', mark, string.format('%.0f', fence) .. ' ' .. ttlMs .. ' ' .. taken, 'PX', markMs)\nreturn { 'forced', nowMs, taken, fence, ttlMs }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string },
    args: {
      readonly side: string;
      readonly fence: string;
      readonly owner: string;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly retentionMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    '2fd08ba54023d61e2b7b1b0a56e75028a2d50b43',
    '3',
    keys.lock,
    keys.token,
    keys.mark,
    args.side,
    args.fence,
    args.owner,
    String(args.notAfterMs),
    String(args.markMs),
    String(args.retentionMs),
    args.publish,
    args.channel,
  ],
);

/**
 * Tells who writes and who reads.
 *
 * Mirrors RReadWriteLock.readLock().isLocked, RReadWriteLock.writeLock().isLocked. Answers ttlMs lastFence mode (field ttlMs fence)*.
 */
export const readWriteLockLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal lock, token = KEYS[1], KEYS[2]\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal ttlMs = redis.call('PTTL', lock)\nlocal answer = { ttlMs, tonumber(redis.call('GET', token) or 0), redis.call('HGET', lock, 'mode') or '' }\nlocal fields = redis.call('HGETALL', lock)\nfor at = 1, #fields, 2 do\nif string.sub(fields[at], -6) == ':write' then\nanswer[#answer + 1] = fields[at]\nanswer[#answer + 1] = ttlMs\nanswer[#answer + 1] = answer[2]\nelseif fields[at] ~= 'mode' then\nlocal longest = 0\n" +
    shared47 +
    "\nlocal fence = tonumber(redis.call('GET', base .. ':' .. fields[at] .. ':rwlock_timeout:1') or 0)\nanswer[#answer + 1] = fields[at]\nanswer[#answer + 1] = longest\n\nanswer[#answer + 1] = fence == 1 and 0 or fence\nend\nend\nreturn answer\n",
  (keys: { readonly lock: string; readonly token: string }) => [
    'EVALSHA',
    '24bb95a17cdd730bac05882d324dcf57cbcf6ce0',
    '2',
    keys.lock,
    keys.token,
  ],
);

/**
 * Renews many read and write holds. Never shortens one, and never the hash that other readers count on. Of a read hold it
 * also tells what the hash had left if that was less than the hold was promised: a watchdog of Java has cut it.
 *
 * Mirrors the watchdogs of RReadWriteLock. Answers remainingMs for each, -2 if gone; then for each cutToMs, -1 if nobody has cut it.
 */
export const readWriteLockRenew = script(
  "#!lua flags=allow-oom\n\n\n\n\n\n\nlocal remaining, cut, count, retentionMs = {}, {}, #KEYS, tonumber(ARGV[1])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\nlocal ROUNDED_MS = 5\nfor at, lock in ipairs(KEYS) do\nlocal owner, side, leaseMs = ARGV[1 + at], ARGV[1 + count + at], tonumber(ARGV[1 + 2 * count + at])\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal field = side == 'write' and owner .. ':write' or owner\nlocal kept = side == 'write' and lock or base .. ':' .. owner .. ':rwlock_timeout:1'\nlocal promised = 'holdfast_read_until:' .. base\nlocal ttlMs = redis.pcall('HEXISTS', lock, field) == 1 and redis.call('PTTL', kept) or -2\ncut[at] = -1\n\nif side == 'read' and ttlMs ~= -2 then\nlocal hashMs, untilMs = redis.call('PTTL', lock), tonumber(redis.call('HGET', promised, owner) or 0)\nif hashMs >= 0 and hashMs < untilMs - nowMs - ROUNDED_MS then cut[at] = hashMs end\nend\nif ttlMs ~= -2 then\nif ttlMs >= 0 and ttlMs < leaseMs then\nredis.call('PEXPIRE', kept, leaseMs)\nttlMs = leaseMs\nend\nif ttlMs < 0 then ttlMs = leaseMs end\nredis.call('PEXPIRE', lock, ttlMs, 'GT')\nif side == 'read' then\n\nlocal untilMs = math.max(tonumber(redis.call('HGET', promised, owner) or 0), nowMs + ttlMs)\nredis.call('HSET', promised, owner, untilMs)\nif redis.call('PTTL', promised) < untilMs - nowMs then redis.call('PEXPIRE', promised, untilMs - nowMs) end\nend\nif retentionMs > 0 then\nredis.call('PEXPIRE', 'redisson_lock_token:' .. base, retentionMs + ttlMs, 'GT')\nend\nend\nremaining[at] = ttlMs\nend\nfor at = 1, count do remaining[count + at] = cut[at] end\nreturn remaining\n",
  (
    keys: { readonly locks: readonly string[] },
    args: {
      readonly retentionMs: number;
      readonly owners: readonly string[];
      readonly sides: readonly string[];
      readonly leasesMs: readonly number[];
    },
  ) => [
    'EVALSHA',
    'b718d6bb0017f864bc48994a8e2c53b06b2f198c',
    String(keys.locks.length),
    ...keys.locks,
    String(args.retentionMs),
    ...args.owners,
    ...args.sides,
    ...args.leasesMs.map(String),
  ],
);

/**
 * Tells the time of the server that owns a key.
 *
 * Mirrors nothing. Answers nowMs.
 */
export const serverTime = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal time = redis.call('TIME')\nreturn { time[1] * 1000 + math.floor(time[2] / 1000) }\n",
  (keys: { readonly key: string }) => ['EVALSHA', '40ce91f3c4067d3a6b9fefa5a729a331fad34c54', '1', keys.key],
);

/**
 * Takes a free lock for one owner, or tells how long its holder has left. The lock is a string: its holder's id.
 * A repeated request is told what is left of its grant; it is never counted twice.
 *
 * Mirrors RedisLockRegistry, obtaining a lock. Answers granted nowMs remainingMs fence | busy nowMs ttlMs | late nowMs | withdrawn nowMs.
 */
export const springLockAcquire = script(
  '#!lua\n\n\n\n\n\n\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\n' +
    shared32 +
    "\nlocal holder = redis.call('GET', lock)\nif holder == owner then\nlocal last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)\nreturn { 'granted', nowMs, redis.call('PTTL', lock), last - fences + 1 }\nend\nif holder then return { 'busy', nowMs, redis.call('PTTL', lock) } end\n\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\n" +
    shared5 +
    "\nredis.call('SET', lock, owner, 'PX', leaseMs)\nreturn { 'granted', nowMs, leaseMs, fence }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string },
    args: {
      readonly owner: string;
      readonly leaseMs: number;
      readonly fences: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
    },
  ) => [
    'EVALSHA',
    'e0f7fe8dc5dc6d7c0d9d55a02deb27798e2be7f2',
    '3',
    keys.lock,
    keys.token,
    keys.mark,
    args.owner,
    String(args.leaseMs),
    String(args.fences),
    String(args.notAfterMs),
    String(args.retentionMs),
  ],
);

/**
 * Takes the lock away from whoever has it and raises the fence, so that the resource refuses what it still writes.
 * With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.
 * Once for all copies of this request: a later one would take it from whoever came next.
 *
 * Mirrors nothing; the holder's id is all that RedisLockRegistry looks at. Answers forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs.
 */
export const springLockForce = script(
  '#!lua flags=allow-oom\n\n\n\n\n\n\n\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal markMs, retentionMs, channel, oldChannel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]\n' +
    shared12 +
    "\nlocal owner = redis.call('GET', lock)\nif not owner then return notForced() end\n" +
    shared17 +
    "\nredis.call('UNLINK', lock)\nif channel ~= '' then\nredis.pcall('PUBLISH', channel, lock)\nredis.pcall('PUBLISH', oldChannel, lock)\nend\n" +
    shared42,
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string },
    args: {
      readonly fence: string;
      readonly owner: string;
      readonly notAfterMs: number;
      readonly markMs: number;
      readonly retentionMs: number;
      readonly channel: string;
      readonly oldChannel: string;
    },
  ) => [
    'EVALSHA',
    'bf78327bd25e32337eac634643a58390aa09ad29',
    '3',
    keys.lock,
    keys.token,
    keys.mark,
    args.fence,
    args.owner,
    String(args.notAfterMs),
    String(args.markMs),
    String(args.retentionMs),
    args.channel,
    args.oldChannel,
  ],
);

/**
 * Tells who holds a Spring lock.
 *
 * Mirrors nothing; RedisLockRegistry knows only whether it holds a lock itself. Answers ttlMs lastFence owner?.
 */
export const springLockLook = script(
  "#!lua flags=no-writes\n\n\n\n\n\nlocal lock, token = KEYS[1], KEYS[2]\nlocal last = tonumber(redis.call('GET', token) or 0)\nlocal owner = redis.call('GET', lock)\nif not owner then return { -2, last } end\nreturn { redis.call('PTTL', lock), last, owner }\n",
  (keys: { readonly lock: string; readonly token: string }) => [
    'EVALSHA',
    '80311dfe00f81f8a57434a2e54083db8e2ab9e54',
    '2',
    keys.lock,
    keys.token,
  ],
);

/**
 * Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has kept all.
 *
 * Mirrors nothing; a quorum of locks needs it. Answers raised upMs | gone.
 */
export const springLockRaise = script(
  shared25 + "\nif redis.call('GET', lock) ~= ARGV[1] then return { 'gone' } end\n" + shared3,
  (
    keys: { readonly lock: string; readonly token: string; readonly promoted: string },
    args: {
      readonly owner: string;
      readonly fence: number;
      readonly retentionMs: number;
      readonly promotedMs: number;
    },
  ) => [
    'EVALSHA',
    'd083049319c96bd04d3431d89f1a795705059ca6',
    '3',
    keys.lock,
    keys.token,
    keys.promoted,
    args.owner,
    String(args.fence),
    String(args.retentionMs),
    String(args.promotedMs),
  ],
);

/**
 * Gives back the lock, if this owner has it, and tells those who wait, if they wait for messages.
 * With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
 *
 * Mirrors RedisLockRegistry, both ways of giving back a lock. Answers released receivers | not-held.
 */
export const springLockRelease = script(
  "#!lua flags=allow-oom\n\n\n\n\n\n\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal tombstoneMs, channel, oldChannel = tonumber(ARGV[2]), ARGV[3], ARGV[4]\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif redis.call('GET', lock) ~= ARGV[1] then return { 'not-held' } end\nredis.call('UNLINK', lock)\nif channel == '' then return { 'released', 0 } end\n\nlocal receivers = redis.pcall('PUBLISH', channel, lock)\nif type(receivers) ~= 'number' then receivers = -1 end\n\nlocal older = redis.pcall('PUBLISH', oldChannel, lock)\nreturn { 'released', type(older) == 'number' and math.max(receivers, older) or receivers }\n",
  (
    keys: { readonly lock: string; readonly mark: string },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly channel: string;
      readonly oldChannel: string;
    },
  ) => [
    'EVALSHA',
    '714394b9428fa5c071ff4d4257dc91ce42da6a61',
    '2',
    keys.lock,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    args.channel,
    args.oldChannel,
  ],
);

/**
 * Renews many holds of Spring locks. Never shortens one. A hold whose key is now of another kind is gone.
 *
 * Mirrors RedisLockRegistry.renewLock. Answers remainingMs for each, -2 if gone.
 */
export const springLockRenew = script(
  "#!lua flags=allow-oom\n\n\n\n\n\nlocal remaining = {}\nfor at, lock in ipairs(KEYS) do\nlocal leaseMs = tonumber(ARGV[#KEYS + at])\nif redis.pcall('GET', lock) == ARGV[at] then\n" +
    shared30 +
    '\nelse\nremaining[at] = -2\nend\nend\nreturn remaining\n',
  (
    keys: { readonly locks: readonly string[] },
    args: { readonly owners: readonly string[]; readonly leasesMs: readonly number[] },
  ) => [
    'EVALSHA',
    '9c1d43caaef82d1c911d7e854b2976e3ebe81d56',
    String(keys.locks.length),
    ...keys.locks,
    ...args.owners,
    ...args.leasesMs.map(String),
  ],
);

/**
 * Takes the write side: when nobody reads or writes. An owner that only reads is refused, for it would wait for itself.
 * A reader of ours counts for as long as it was promised, also if Java's watchdog has cut the hash it stood in: it does
 * not know of that before its next renewal.
 *
 * Mirrors RReadWriteLock.writeLock().tryLock. Answers granted nowMs remainingMs fence | busy nowMs ttlMs | upgrade nowMs | late nowMs | withdrawn nowMs.
 */
export const writeLockAcquire = script(
  '#!lua\n\n\n\n\n\n\n\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal owner, leaseMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])\n' +
    shared41 +
    "\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\n" +
    shared1 +
    "\nif mode == 'write' and redis.call('HEXISTS', lock, owner .. ':write') == 1 then\nreturn { 'granted', nowMs, redis.call('PTTL', lock), tonumber(redis.call('GET', token) or 0) }\nend\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nlocal soonest, alive = 0, false\nif mode == 'read' then\nlocal reads = redis.call('HEXISTS', lock, owner) == 1\nif reads and redis.call('PTTL', base .. ':' .. owner .. ':rwlock_timeout:1') > 0 then return { 'upgrade', nowMs } end\n\nlocal fields = redis.call('HGETALL', lock)\nsoonest = redis.call('PTTL', lock)\nfor at = 1, #fields, 2 do\nfor count = 1, tonumber(fields[at + 1]) or 0 do\nlocal ttlMs = redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count)\nif ttlMs > 0 then\nalive = true\nsoonest = math.min(soonest, ttlMs)\nend\nend\nend\nelseif mode then\nreturn { 'busy', nowMs, redis.call('PTTL', lock) }\nend\nlocal promised = 'holdfast_read_until:' .. base\nlocal reads = redis.call('HGETALL', promised)\nfor at = 1, #reads, 2 do\nlocal leftMs = tonumber(reads[at + 1]) - nowMs\nif leftMs > 0 then\nsoonest = alive and math.min(soonest, leftMs) or leftMs\nalive = true\nelse\nredis.call('HDEL', promised, reads[at])\nend\nend\nif alive then return { 'busy', nowMs, soonest } end\n\nif mode then redis.call('DEL', lock) end\n\n\nlocal fence = nextFence()\nredis.call('HSET', lock, 'mode', 'write', owner .. ':write', 1)\nredis.call('PEXPIRE', lock, leaseMs)\nreturn { 'granted', nowMs, leaseMs, fence }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string },
    args: {
      readonly owner: string;
      readonly leaseMs: number;
      readonly notAfterMs: number;
      readonly retentionMs: number;
    },
  ) => [
    'EVALSHA',
    'a5932e535f175366be7f1b0f455620b1ac813d1b',
    '3',
    keys.lock,
    keys.token,
    keys.mark,
    args.owner,
    String(args.leaseMs),
    String(args.notAfterMs),
    String(args.retentionMs),
  ],
);

/**
 * Gives back the write side and tells all who wait, also when the owner goes on reading.
 *
 * Mirrors RReadWriteLock.writeLock().unlock. Answers released receivers, -1 if it may not tell them | not-held.
 */
export const writeLockRelease = script(
  shared19 +
    "\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif not mode then\nif redis.call('EXISTS', lock) == 0 then redis.pcall(publish, channel, '1') end\nreturn { 'not-held' }\nend\nif mode ~= 'write' or redis.call('HDEL', lock, owner .. ':write') == 0 then return { 'not-held' } end\n\n" +
    shared31 +
    "\nif longest > 0 then\nredis.call('HSET', lock, 'mode', 'read')\nredis.call('PEXPIRE', lock, longest)\nelse\nredis.call('DEL', lock)\nend\nlocal receivers = redis.pcall(publish, channel, '1')\nreturn { 'released', type(receivers) == 'number' and receivers or -1 }\n",
  (
    keys: { readonly lock: string; readonly mark: string },
    args: {
      readonly owner: string;
      readonly tombstoneMs: number;
      readonly publish: string;
      readonly channel: string;
    },
  ) => [
    'EVALSHA',
    'e0c27b3a3971aaa63a6ffbccf865fb19f16d3fe6',
    '2',
    keys.lock,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
  ],
);
