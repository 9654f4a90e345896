// Written by scripts/build-lua.mjs from scripts/*.lua: change those, and run it.
import { script } from './requests/script.ts';

/**
 * Takes permits off the counter. The counter knows no owner, so a mark for this request tells its copies what came of it.
 *
 * Mirrors RSemaphore.tryAcquire, RSemaphore.trySetPermits. Answers granted nowMs fence | busy nowMs | late nowMs | withdrawn nowMs.
 */
export const bareSemaphoreAcquire = script(
  "#!lua\n-- Takes permits off the counter. The counter knows no owner, so a mark for this request tells its copies what came of it.\n-- mirrors: RSemaphore.tryAcquire, RSemaphore.trySetPermits\n-- KEYS: counter, token, mark\n-- ARGV: permits: integer, total: integer, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string\n-- returns: granted nowMs fence | busy nowMs | late nowMs | withdrawn nowMs\nlocal counter, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal permits, total, markMs, retentionMs = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[4]), tonumber(ARGV[5])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\n\nlocal marked = redis.call('GET', mark)\nif marked == 'out' or marked == 'released' then return { 'withdrawn', nowMs } end\nif marked then return { 'granted', nowMs, tonumber(marked) } end\nlocal free = redis.call('GET', counter)\nif not free then\n  redis.call('SET', counter, total)\n  redis.pcall(ARGV[6], ARGV[7], total)\n  free = total\nend\nif not tonumber(free) then\n  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')\nend\nif tonumber(free) < permits then return { 'busy', nowMs } end\n\nlocal last = redis.call('GET', token)\nlocal fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\nlocal keptMs = retentionMs + math.max(0, math.ceil(fence / 1000) - nowMs)\nif retentionMs == 0 then\n  redis.call('SET', token, string.format('%.0f', fence))\nelseif last then\n\n  redis.call('SET', token, string.format('%.0f', fence), 'KEEPTTL')\n  redis.call('PEXPIRE', token, keptMs, 'GT')\nelse\n  redis.call('SET', token, string.format('%.0f', fence), 'PX', keptMs)\nend\nredis.call('DECRBY', counter, permits)\nredis.call('SET', mark, string.format('%.0f', fence), 'PX', markMs)\nreturn { 'granted', nowMs, fence }\n",
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
    'e6d87dc3201e636d16ea75feeae58e8dd8f22623',
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
  "#!lua flags=allow-oom\n-- Gives permits back, once for all copies of this request, and refuses copies of its acquisition from then on.\n-- Whoever does not know whether its acquisition was carried out says so, and the mark decides.\n-- mirrors: RSemaphore.release\n-- KEYS: counter, mark\n-- ARGV: permits: integer, known: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string\n-- returns: released nowMs receivers | not-held nowMs | late nowMs\nlocal counter, mark = KEYS[1], KEYS[2]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal marked = redis.call('GET', mark)\nif marked == 'released' then return { 'released', nowMs, 0 } end\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\nif not marked and ARGV[2] == '0' or marked == 'out' then\n  redis.call('SET', mark, 'out', 'PX', tonumber(ARGV[4]))\n  return { 'not-held', nowMs }\nend\nlocal free = redis.call('INCRBY', counter, ARGV[1])\nredis.call('SET', mark, 'released', 'PX', tonumber(ARGV[4]))\n\nlocal receivers = free > 0 and redis.pcall(ARGV[5], ARGV[6], free) or 0\nreturn { 'released', nowMs, type(receivers) == 'number' and receivers or -1 }\n",
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
    'acbbe6f4d8b0204f2f895f80efd5c9046e173500',
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
  "#!lua flags=no-writes\n-- Reads a cell and the server's time.\n-- mirrors: nothing\n-- KEYS: cell\n-- ARGV:\n-- returns: nowMs version (or empty) document (or empty)\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal found = redis.call('HMGET', KEYS[1], 'version', 'document')\nreturn { nowMs, found[1] or '', found[2] or '' }\n",
  (keys: { readonly cell: string }) => [
    'EVALSHA',
    'eb1d5685e98d44c49b63fa4c8765afd56ff3b73b',
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
  "#!lua flags=allow-oom\n-- As cell-write, and also where the server is out of memory: for what adds nothing. Replaces a cell if it is still the one that the decision was made on, and while the time that it was made for holds.\n-- mirrors: nothing\n-- KEYS: cell\n-- ARGV: expected: string, version: string, document: string, notBeforeMs: integer, notAfterMs: integer, ttlMs: integer, publish: string, channel: string, message: string\n-- returns: written nowMs | conflict nowMs version document\nlocal cell = KEYS[1]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal found = redis.call('HMGET', cell, 'version', 'document')\nif (found[1] or '') ~= ARGV[1] or nowMs < tonumber(ARGV[4]) or nowMs >= tonumber(ARGV[5]) then\n  return { 'conflict', nowMs, found[1] or '', found[2] or '' }\nend\nredis.call('HSET', cell, 'version', ARGV[2], 'document', ARGV[3])\nlocal ttlMs = tonumber(ARGV[6])\nif ttlMs > 0 then redis.call('PEXPIRE', cell, ttlMs) else redis.call('PERSIST', cell) end\nif ARGV[9] ~= '' then redis.pcall(ARGV[7], ARGV[8], ARGV[9]) end\nreturn { 'written', nowMs }\n",
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
    '2eec5a25d7c1052393eb52ae223c095e406d323a',
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
  "#!lua\n-- Replaces a cell if it is still the one that the decision was made on, and while the time that it was made for holds.\n-- Refused by a server that is out of memory; what adds nothing is then sent again as cell-write-always.\n-- mirrors: nothing\n-- KEYS: cell\n-- ARGV: expected: string, version: string, document: string, notBeforeMs: integer, notAfterMs: integer, ttlMs: integer, publish: string, channel: string, message: string\n-- returns: written nowMs | conflict nowMs version document\nlocal cell = KEYS[1]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal found = redis.call('HMGET', cell, 'version', 'document')\nif (found[1] or '') ~= ARGV[1] or nowMs < tonumber(ARGV[4]) or nowMs >= tonumber(ARGV[5]) then\n  return { 'conflict', nowMs, found[1] or '', found[2] or '' }\nend\nredis.call('HSET', cell, 'version', ARGV[2], 'document', ARGV[3])\nlocal ttlMs = tonumber(ARGV[6])\nif ttlMs > 0 then redis.call('PEXPIRE', cell, ttlMs) else redis.call('PERSIST', cell) end\nif ARGV[9] ~= '' then redis.pcall(ARGV[7], ARGV[8], ARGV[9]) end\nreturn { 'written', nowMs }\n",
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
    'a6a6a0bbdbc0c8d65bb8009ba716256feb92fcb8',
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
  "#!lua flags=no-writes\n-- Tells the number of a semaphore or a latch.\n-- mirrors: RSemaphore.availablePermits, RCountDownLatch.getCount\n-- KEYS: counter\n-- ARGV:\n-- returns: the number, or empty if there is none\nreturn { redis.call('GET', KEYS[1]) or '' }\n",
  (keys: { readonly counter: string }) => [
    'EVALSHA',
    'bd2bf9ca1fa1033a1182c05b14bb06df163f651c',
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
  "#!lua flags=no-writes\n-- Shows who stands in the line of a fair lock, the first at first.\n-- mirrors: nothing\n-- KEYS: queue, deadlines, contributions\n-- ARGV: most: integer\n-- returns: nowMs (owner deadlineMs (or empty) count)*\nlocal time = redis.call('TIME')\nlocal answer = { time[1] * 1000 + math.floor(time[2] / 1000) }\nfor _, owner in ipairs(redis.call('LRANGE', KEYS[1], 0, ARGV[1] - 1)) do\n  answer[#answer + 1] = owner\n  answer[#answer + 1] = redis.call('ZSCORE', KEYS[2], owner) or ''\n\n  local known = redis.call('HGET', KEYS[3], owner) or ''\n  answer[#answer + 1] = tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)')) or 1\nend\nreturn answer\n",
  (
    keys: { readonly queue: string; readonly deadlines: string; readonly contributions: string },
    args: { readonly most: number },
  ) => [
    'EVALSHA',
    '69bafe2fabd113b13932c325443bf37e4174e05d',
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
 * it; the fourth is when that was offered first, from when the lease counts. The fifth is how many stand there together.
 * A place far behind the front has a sixth, its patience: its owner listens, asks the less often the farther behind it is, and
 * is kept for longer in return. Whoever finds it at the front calls it: tells its owner to ask, and keeps it for no more than
 * its patience. From then until its owner asks the sixth is 0.
 * A waiter of Java that was interrupted or whose client was shut down leaves its place behind and stops listening. Whoever of
 * Java's has not been seen to listen for absentMs is passed over; if it lives, it takes a new place when it next asks.
 *
 * Mirrors RedissonFairLock.tryLockInner. Answers granted nowMs remainingMs fence | busy nowMs againInMs | far nowMs againInMs | late nowMs | withdrawn nowMs.
 */
export const fairLockAcquire = script(
  "#!lua\n-- Takes a fair lock if it is free and nobody stands before this owner; else gives the owner a place in line.\n-- Deadlines form a chain: each score is that of the one before plus what its owner contributed, and whoever leaves\n-- takes its contribution off all those behind. Those of Java follow from the chain, and Java's own departures subtract\n-- them. Of ours a hash keeps \"contributed keptUntil letInMs offeredAt fences\": the second is the deadline that the place has\n-- by itself. The third is the lease with which whoever gives the lock back may let its owner in, 0 if the owner has to ask for\n-- it; the fourth is when that was offered first, from when the lease counts. The fifth is how many stand there together.\n-- A place far behind the front has a sixth, its patience: its owner listens, asks the less often the farther behind it is, and\n-- is kept for longer in return. Whoever finds it at the front calls it: tells its owner to ask, and keeps it for no more than\n-- its patience. From then until its owner asks the sixth is 0.\n-- A waiter of Java that was interrupted or whose client was shut down leaves its place behind and stops listening. Whoever of\n-- Java's has not been seen to listen for absentMs is passed over; if it lives, it takes a new place when it next asks.\n-- mirrors: RedissonFairLock.tryLockInner\n-- KEYS: lock, token, queue, deadlines, contributions, mark\n-- ARGV: owner: string, leaseMs: integer, fences: integer, wait: integer, waitMs: integer, foreignWaitMs: integer, notAfterMs: integer, retentionMs: integer, publish: string, channel: string, letIn: integer, absentMs: integer\n-- returns: granted nowMs remainingMs fence | busy nowMs againInMs | far nowMs againInMs | late nowMs | withdrawn nowMs\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal owner, leaseMs, fences, waits = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1'\nlocal waitMs, foreignWaitMs = tonumber(ARGV[5]), tonumber(ARGV[6])\nlocal retentionMs, publish, channel = tonumber(ARGV[8]), ARGV[9], ARGV[10]\nlocal letInMs, absentMs = ARGV[11] == '1' and leaseMs or 0, tonumber(ARGV[12])\n\nlocal CLOCKS_APART_MS = 2000\n\nlocal SEEN_PLACES = 16\n\nlocal SHORTEST_LOOK_MS = 100\n\nlocal LONGEST_MS = 10 * 365 * 24 * 60 * 60 * 1000\n\n\nlocal NEAR_PLACES = 4\nlocal MOST_SELDOM = 30\n\nlocal CALLED_FOR_EACH_DEAD = 16\n\nlocal AT_ONCE = 1000\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[7]) then return { 'late', nowMs } end\nlocal offeredAt = letInMs > 0 and nowMs or 0\n\n\nlocal function placeOf(one, deadline, known)\n  local place = { owner = one, deadline = tonumber(deadline or nil) }\n  if known then\n    local numbers = {}\n    for number in string.gmatch(known, '%S+') do numbers[#numbers + 1] = tonumber(number) end\n    place.contributed, place.keptUntil, place.letInMs, place.offeredAt, place.fences, place.patienceMs = unpack(numbers)\n  end\n  return place\nend\n\nlocal function isFarBehind(place)\n  return (place.patienceMs or 0) > 0\nend\n\n\nlocal function placesOf(owners)\n  local places = {}\n  for first = 1, #owners, AT_ONCE do\n    local last = math.min(first + AT_ONCE - 1, #owners)\n    local scores = redis.call('ZMSCORE', deadlines, unpack(owners, first, last))\n    local known = redis.call('HMGET', contributions, unpack(owners, first, last))\n    for at = first, last do places[at] = placeOf(owners[at], scores[at - first + 1], known[at - first + 1]) end\n  end\n  return places\nend\n\nlocal function placesFrom(first, last)\n  return placesOf(redis.call('LRANGE', queue, first, last))\nend\n\n\nlocal function callWith(words, command, key, ...)\n  local parts = { ... }\n  for first = 1, #words, AT_ONCE do\n    local some = { command, key, unpack(parts) }\n    for at = first, math.min(first + AT_ONCE - 1, #words) do some[#some + 1] = words[at] end\n    redis.call(unpack(some))\n  end\nend\n\nlocal function add(ms, from)\n  if ms == 0 then return end\n  local moved = {}\n  for _, place in ipairs(placesFrom(from, -1)) do\n    if place.deadline then\n      moved[#moved + 1] = place.deadline + ms\n      moved[#moved + 1] = place.owner\n    end\n  end\n  callWith(moved, 'ZADD', deadlines, 'XX')\nend\n\nlocal function recordOf(place)\n  local known = {\n    place.contributed, place.keptUntil, place.letInMs, place.offeredAt, place.fences, place.patienceMs,\n  }\n  return table.concat(known, ' ')\nend\n\nlocal function remember(place)\n  redis.call('HSET', contributions, place.owner, recordOf(place))\nend\n\nlocal head\nlocal absences = 'holdfast_lock_absent:' .. (string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}')\n\n\nlocal owed = 0\n\nlocal function headLeaves()\n  redis.call('LREM', queue, 0, head.owner)\n  redis.call('ZREM', deadlines, head.owner)\n  redis.call('HDEL', contributions, head.owner)\n  if absentMs > 0 and not head.contributed then redis.call('HDEL', absences, head.owner) end\n  add(-(head.contributed or 0), 0)\n  head = placesFrom(0, 0)[1] or {}\nend\n\n\nlocal function headKeptMs()\n  return (head.keptUntil or head.deadline + CLOCKS_APART_MS) - nowMs\nend\n\n\nlocal function headIsDead()\n  if not head.owner or head.owner == owner then return false end\n  return not head.deadline or headKeptMs() <= 0\nend\n\n\n\n\nlocal function absentSince(one)\n  local since, deadline = string.match(redis.call('HGET', absences, one) or '', '^(%S+) (%S+)$')\n  return since and deadline == redis.call('ZSCORE', deadlines, one) and tonumber(since) or nil\nend\n\n\n\nlocal function seeWhoListens()\n  local owners, command = {}, { 'PUBSUB', 'NUMSUB' }\n  for _, one in ipairs(redis.call('LRANGE', queue, 0, SEEN_PLACES - 1)) do\n    if one == owner then break end\n    if redis.call('HEXISTS', contributions, one) == 0 then\n      owners[#owners + 1] = one\n      command[#command + 1] = channel .. ':' .. one\n    end\n  end\n  if #owners == 0 then return end\n  local replication = redis.pcall('INFO', 'replication')\n  if type(replication) ~= 'string' or not string.find(replication, 'connected_slaves:0', 1, true) then return end\n  local listeners = redis.pcall(unpack(command))\n  if listeners.err then return end\n  for at, one in ipairs(owners) do\n    if listeners[2 * at] > 0 then\n      redis.call('HDEL', absences, one)\n    elseif not absentSince(one) then\n      redis.call('HSET', absences, one, nowMs .. ' ' .. (redis.call('ZSCORE', deadlines, one) or ''))\n    end\n  end\n  redis.call('PEXPIRE', absences, 6 * absentMs)\nend\n\n\nlocal function headAbsentInMs()\n\n  if absentMs == 0 or owed ~= 0 or not head.owner or head.contributed or head.owner == owner then return nil end\n  local since = absentSince(head.owner)\n  return since and since + absentMs - nowMs or nil\nend\n\nlocal function headIsAbsent()\n  local inMs = headAbsentInMs()\n  return inMs ~= nil and inMs <= 0\nend\n\n\n\nlocal function headsLeave()\n  local gone, behind, at = {}, {}, 0\n  while headIsDead() or headIsAbsent() do\n    gone[#gone + 1] = head.owner\n    owed = owed + (head.contributed or 0)\n    at = at + 1\n    if not behind[at] then behind, at = placesFrom(#gone, #gone + AT_ONCE / 10 - 1), 1 end\n    head = behind[at] or {}\n    if head.deadline then head.deadline = head.deadline - owed end\n  end\n  if #gone == 0 then return 0 end\n  redis.call('LTRIM', queue, #gone, -1)\n  callWith(gone, 'ZREM', deadlines)\n  callWith(gone, 'HDEL', contributions)\n  if absentMs > 0 then callWith(gone, 'HDEL', absences) end\n  add(-owed, 0)\n  owed = 0\n  return #gone\nend\n\n\nlocal mayCall = true\n\n\n\n\n\nlocal function call(first, last)\n  local called = {}\n  for _, place in ipairs(placesFrom(first, last)) do\n    if isFarBehind(place) and place.owner ~= owner then\n      mayCall = type(redis.pcall(publish, channel .. ':' .. place.owner, '0')) ~= 'table'\n      if not mayCall then break end\n      place.keptUntil, place.patienceMs = math.min(place.keptUntil, nowMs + place.patienceMs), 0\n      called[#called + 1] = place.owner\n      called[#called + 1] = recordOf(place)\n      if place.owner == head.owner then head = place end\n    end\n  end\n  callWith(called, 'HSET', contributions)\nend\n\n\n\nlocal function nowContributedBy(place)\n  return math.max(0, math.min(isFarBehind(place) and place.patienceMs or LONGEST_MS, place.keptUntil - nowMs))\nend\n\n\n\n\nlocal function chainFromNow()\n  local before, chained\n  local moved, kept = {}, {}\n  for _, place in ipairs(placesFrom(0, -1)) do\n    if place.deadline then\n      if place.contributed then\n        place.contributed = nowContributedBy(place)\n        kept[#kept + 1] = place.owner\n        kept[#kept + 1] = recordOf(place)\n        chained = (chained or nowMs) + place.contributed\n      else\n        chained = chained + place.deadline - before\n      end\n      moved[#moved + 1] = chained\n      moved[#moved + 1] = place.owner\n      before = place.deadline\n    end\n  end\n  callWith(kept, 'HSET', contributions)\n  callWith(moved, 'ZADD', deadlines)\nend\n\nlocal ttlMs = redis.call('PTTL', lock)\nif ttlMs ~= -2 then\n  local held, mode = unpack(redis.call('HMGET', lock, owner, 'mode'))\n  if held then\n    local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)\n    return { 'granted', nowMs, ttlMs, last - fences + 1 }\n  end\n  if mode then return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name') end\nend\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\n\nhead = placesFrom(0, 0)[1] or {}\nif absentMs > 0 and head.owner and not head.contributed and head.owner ~= owner then seeWhoListens() end\nlocal purged = headsLeave()\n\nlocal isHeadFar = isFarBehind(head) and head.owner ~= owner\nif isHeadFar then\n  call(0, math.max(NEAR_PLACES, CALLED_FOR_EACH_DEAD * purged))\nelseif purged > 0 then\n  call(0, NEAR_PLACES)\nend\n\nif ttlMs == -2 and (not head.owner or head.owner == owner) then\n  if head.owner then\n    headLeaves()\n\n    call(isFarBehind(head) and 0 or NEAR_PLACES, NEAR_PLACES)\n  end\n  local last = redis.call('GET', token)\n  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\n  local reserved = fence + fences - 1\n  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)\n  if retentionMs == 0 then\n    redis.call('SET', token, string.format('%.0f', reserved))\n  elseif last then\n\n    redis.call('SET', token, string.format('%.0f', reserved), 'KEEPTTL')\n    redis.call('PEXPIRE', token, keptMs, 'GT')\n  else\n    redis.call('SET', token, string.format('%.0f', reserved), 'PX', keptMs)\n  end\n  redis.call('HSET', lock, owner, 1)\n  redis.call('PEXPIRE', lock, leaseMs)\n\n  if head.owner and leaseMs < waitMs / 3 then redis.pcall(publish, channel .. ':' .. head.owner, '0') end\n  return { 'granted', nowMs, leaseMs, fence }\nend\n\nlocal at, tail\n\nlocal seldomMs\nif waits then\n  local own = head.owner == owner and head or placesOf({ owner })[1]\n  if not own.deadline then\n    redis.call('LREM', queue, 0, owner)\n    if own == head then\n      head = placesFrom(0, 0)[1] or {}\n      headsLeave()\n    end\n  end\n  at = own.deadline and redis.call('LPOS', queue, owner)\n  local changed, isLast = false, false\n\n  if at and not own.contributed then\n    local before = at > 0 and redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, at - 1))\n    own.contributed = before and own.deadline - before or 0\n    own.keptUntil = before and head.deadline - (head.contributed or foreignWaitMs) + own.contributed or own.deadline\n    own.letInMs, own.offeredAt, own.fences = letInMs, offeredAt, fences\n    remember(own)\n    changed = true\n  end\n\n\n\n\n  local base = nowMs\n  if head.contributed then\n    base = head.deadline - head.contributed\n    local isUneven = not head.patienceMs and math.abs(head.deadline - head.keptUntil) > waitMs / 12\n    if isUneven or base < nowMs - waitMs / 2 then\n      chainFromNow()\n      base, changed = nowMs, true\n      if at then own.contributed = nowContributedBy(own) end\n    end\n  elseif at then\n    base = own.keptUntil - own.contributed\n  end\n\n  if not at then\n    tail = head.owner and placesFrom(-1, -1)[1] or {}\n\n    if tail.contributed and not head.contributed then\n      base = tail.keptUntil - tail.contributed\n    elseif head.deadline and not head.contributed then\n      base = math.min(head.deadline - foreignWaitMs, nowMs + math.max(0, ttlMs))\n    end\n    own = { owner = owner, deadline = tail.deadline or nowMs, contributed = 0, keptUntil = 0, fences = fences }\n  end\n\n  local isNews = own.letInMs ~= letInMs\n  if isNews then own.letInMs, own.offeredAt = letInMs, offeredAt end\n\n\n\n  local keptMs = waitMs\n  local isFar = at and at > NEAR_PLACES and letInMs > 0 and mayCall and head.contributed\n    and (isFarBehind(own) or (not head.patienceMs and head.keptUntil > own.keptUntil + waitMs / 12))\n  if isFar then\n    keptMs = math.floor(waitMs * math.min(MOST_SELDOM, at / NEAR_PLACES + 0.5))\n    seldomMs = keptMs / 3\n  end\n\n\n\n  local isNear = not at or at <= NEAR_PLACES\n  local isDue = own.keptUntil < nowMs + keptMs / 2 or (isNear and own.contributed < waitMs / 2)\n  if isDue or (own.patienceMs and not isFar) then\n    local contributed = waitMs + (base < nowMs - waitMs / 2 and nowMs - base or 0)\n\n\n    local more = isNear and contributed - own.contributed or 0\n    own.contributed, own.keptUntil = own.contributed + more, base + contributed + keptMs - waitMs\n    own.patienceMs = isFar and waitMs or nil\n    remember(own)\n    if at then\n      add(more, at)\n    else\n      own.deadline = own.deadline + more\n      redis.call('ZADD', deadlines, own.deadline, owner)\n      at = redis.call('RPUSH', queue, owner) - 1\n      isLast = true\n    end\n    changed = true\n  elseif isNews then\n    remember(own)\n    changed = true\n  end\n\n  if changed then\n    local latest = isLast and own.deadline\n      or tonumber(redis.call('ZSCORE', deadlines, redis.call('LINDEX', queue, -1))) or nowMs\n    redis.call('PEXPIRE', contributions, math.min(math.max(waitMs, latest - nowMs), LONGEST_MS) + 600000)\n  end\n  if at == 0 then head = own end\nend\n\n\nif purged > 0 and not isHeadFar and ttlMs == -2 and head.owner and head.owner ~= owner then\n  redis.pcall(publish, channel .. ':' .. head.owner, '0')\nend\n\n\nif seldomMs then return { 'far', nowMs, math.ceil(seldomMs) } end\nlocal againInMs = waitMs / 3\nif head.owner == owner or not head.owner then\n  if ttlMs >= 0 then againInMs = math.min(againInMs, ttlMs + 1) end\nelse\n  againInMs = math.min(againInMs, headKeptMs(), headAbsentInMs() or againInMs)\nend\n\n\nif at and at > 0 and ttlMs >= 0 then\n  local before = tail or placesFrom(at - 1, at - 1)[1]\n  if not before.contributed then againInMs = math.min(againInMs, math.max(SHORTEST_LOOK_MS, ttlMs + 1)) end\nend\nreturn { 'busy', nowMs, math.max(1, math.ceil(againInMs)) }\n",
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
    'ae9ca963009fa2170e229982e1c75fd0bf5acd8a',
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
  "#!lua flags=allow-oom\n-- Takes a fair lock away from whoever has it, raises the fence and tells whoever is first in line.\n-- With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.\n-- Once for all copies of this request: a later one would take it from whoever came next.\n-- mirrors: RedissonFairLock.forceUnlock\n-- KEYS: lock, token, queue, deadlines, contributions, mark\n-- ARGV: fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string\n-- returns: forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal markMs, retentionMs, publish, channel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]\nlocal CLOCKS_APART_MS = 2000\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\nlocal marked = redis.call('GET', mark)\nif marked then\n  local lastFence, leftMs, taken = string.match(marked, '^(%d+) (%S+) (.*)$')\n  if not taken then return { 'not-forced', nowMs } end\n  return { 'forced', nowMs, taken, tonumber(lastFence), tonumber(leftMs) }\nend\n\nlocal function notForced()\n  redis.call('SET', mark, '-', 'PX', markMs)\n  return { 'not-forced', nowMs }\nend\n\n\nlocal AT_ONCE = 1000\n\n\nlocal function callWith(words, command, key, ...)\n  local parts = { ... }\n  for first = 1, #words, AT_ONCE do\n    local some = { command, key, unpack(parts) }\n    for at = first, math.min(first + AT_ONCE - 1, #words) do some[#some + 1] = words[at] end\n    redis.call(unpack(some))\n  end\nend\n\n\n\nlocal function headOfTheLiving()\n  local gone, owed, head = {}, 0, nil\n  repeat\n    local owners = redis.call('LRANGE', queue, #gone, #gone + AT_ONCE / 10 - 1)\n    if #owners == 0 then break end\n    local scores = redis.call('ZMSCORE', deadlines, unpack(owners))\n    local known = redis.call('HMGET', contributions, unpack(owners))\n    for at, one in ipairs(owners) do\n      local contributed, keptUntil = string.match(known[at] or '', '^(%S+) (%S+)')\n      local untilMs = scores[at] and (keptUntil or scores[at] - owed + CLOCKS_APART_MS)\n      if untilMs and tonumber(untilMs) > nowMs then\n        head = one\n        break\n      end\n      gone[#gone + 1] = one\n      owed = owed + (contributed or 0)\n    end\n  until head\n  if #gone == 0 then return head end\n  redis.call('LTRIM', queue, #gone, -1)\n  callWith(gone, 'ZREM', deadlines)\n  callWith(gone, 'HDEL', contributions)\n  if owed == 0 then return head end\n  local behind, moved = redis.call('LRANGE', queue, 0, -1), {}\n  for first = 1, #behind, AT_ONCE do\n    local scores = redis.call('ZMSCORE', deadlines, unpack(behind, first, math.min(first + AT_ONCE - 1, #behind)))\n    for at, score in ipairs(scores) do\n      if score then\n        moved[#moved + 1] = score - owed\n        moved[#moved + 1] = behind[first + at - 1]\n      end\n    end\n  end\n  callWith(moved, 'ZADD', deadlines, 'XX')\n  return head\nend\n\nlocal owner = redis.call('HKEYS', lock)[1]\nif not owner then return notForced() end\nif redis.call('HEXISTS', lock, 'mode') == 1 then\n  return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')\nend\nlocal last = redis.call('GET', token) or '0'\nif ARGV[1] ~= '' and ARGV[1] ~= last then return notForced() end\nif ARGV[2] ~= '' and ARGV[2] ~= owner then return notForced() end\nlocal ttlMs = redis.call('PTTL', lock)\nlocal raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])\nlocal persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\nredis.call('SET', token, string.format('%.0f', raised))\n\nif not persistent then\n  redis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))\nend\nredis.call('DEL', lock)\nlocal head = headOfTheLiving()\nif head then redis.pcall(publish, channel .. ':' .. head, '0') end\nredis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)\nreturn { 'forced', nowMs, owner, tonumber(last), ttlMs }\n",
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
    'ce344846f09c668c2c6ba26fec82459945ad98eb',
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
  "#!lua flags=allow-oom\n-- Gives back a fair lock, or the place in its line, if the time is over for which the hold was to last: then the first in line\n-- is let in, if it has lately offered that, and told its fence; else, and if the lock was free before, it is told to ask.\n-- Before that time it sets the end of the hold: until then the lock has an owner that no request renews or gives back,\n-- and the first in line is told to ask how long that is.\n-- mirrors: RedissonFairLock.unlockInner, RedissonFairLock.acquireFailed\n-- KEYS: lock, token, queue, deadlines, contributions, mark\n-- ARGV: owner: string, tombstoneMs: integer, retentionMs: integer, publish: string, channel: string, grantedMs: integer, minHoldMs: integer\n-- returns: released waiters | not-held\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal owner, tombstoneMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])\nlocal publish, channel = ARGV[4], ARGV[5]\n\nlocal CLOCKS_APART_MS = 2000\n\n\nlocal LATELY = 0.3\nlocal NEAR_PLACES = 4\n\nlocal AT_ONCE = 1000\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\n\nlocal function callWith(words, command, key, ...)\n  local parts = { ... }\n  for first = 1, #words, AT_ONCE do\n    local some = { command, key, unpack(parts) }\n    for at = first, math.min(first + AT_ONCE - 1, #words) do some[#some + 1] = words[at] end\n    redis.call(unpack(some))\n  end\nend\n\n\nlocal function add(ms, from)\n  if ms == 0 then return end\n  local owners, moved = redis.call('LRANGE', queue, from, -1), {}\n  for first = 1, #owners, AT_ONCE do\n    local scores = redis.call('ZMSCORE', deadlines, unpack(owners, first, math.min(first + AT_ONCE - 1, #owners)))\n    for at, score in ipairs(scores) do\n      if score then\n        moved[#moved + 1] = score + ms\n        moved[#moved + 1] = owners[first + at - 1]\n      end\n    end\n  end\n  callWith(moved, 'ZADD', deadlines, 'XX')\nend\n\n\nlocal function leave(place, one, contributed)\n  redis.call('LREM', queue, 0, one)\n  redis.call('ZREM', deadlines, one)\n  redis.call('HDEL', contributions, one)\n  add(-contributed, place)\nend\n\n\n\nlocal function knownOf(known)\n  local numbers = {}\n  for number in string.gmatch(known or '0', '%S+') do numbers[#numbers + 1] = tonumber(number) end\n  return unpack(numbers)\nend\n\n\n\nlocal function headOfTheLiving()\n  local gone, owed = {}, 0\n  local owners, scores, known, at = {}, {}, {}, 1\n  local head, contributed, leaseMs, fences\n  while true do\n    if not owners[at] then\n\n      owners = redis.call('LRANGE', queue, #gone, #gone + (#gone > 0 and AT_ONCE / 10 - 1 or 0))\n      if #owners == 0 then break end\n      scores = redis.call('ZMSCORE', deadlines, unpack(owners))\n      known = redis.call('HMGET', contributions, unpack(owners))\n      at = 1\n    end\n    local one, deadline = owners[at], scores[at] and scores[at] - owed\n    local keptUntil, letInMs, offeredAt\n    contributed, keptUntil, letInMs, offeredAt, fences = knownOf(known[at])\n    if deadline and (keptUntil or deadline + CLOCKS_APART_MS) > nowMs then\n      head = one\n      local isLately = (letInMs or 0) > 0 and nowMs - offeredAt <= letInMs * LATELY\n      leaseMs = isLately and offeredAt + letInMs - nowMs or nil\n      break\n    end\n    gone[#gone + 1] = one\n    owed = owed + contributed\n    at = at + 1\n  end\n  if #gone > 0 then\n    redis.call('LTRIM', queue, #gone, -1)\n    callWith(gone, 'ZREM', deadlines)\n    callWith(gone, 'HDEL', contributions)\n    add(-owed, 0)\n  end\n  return head, contributed, leaseMs, fences, #gone\nend\n\n\nlocal function call(first, last)\n  local owners = redis.call('LRANGE', queue, first, last)\n  if #owners == 0 then return end\n  for at, known in ipairs(redis.call('HMGET', contributions, unpack(owners))) do\n    local contributed, keptUntil, letInMs, offeredAt, fences, patienceMs = knownOf(known)\n    if (patienceMs or 0) > 0 then\n      if type(redis.pcall(publish, channel .. ':' .. owners[at], '0')) == 'table' then return end\n      local called = { contributed, math.min(keptUntil, nowMs + patienceMs), letInMs, offeredAt, fences, 0 }\n      redis.call('HSET', contributions, owners[at], table.concat(called, ' '))\n    end\n  end\nend\n\n\nlocal function nextFence(leaseMs, fences)\n  local last = redis.call('GET', token)\n  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\n  local reserved = fence + fences - 1\n  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)\n  local text = string.format('%.0f', reserved)\n  if retentionMs == 0 then\n    redis.call('SET', token, text)\n  elseif last then\n\n    redis.call('SET', token, text, 'KEEPTTL')\n    redis.call('PEXPIRE', token, keptMs, 'GT')\n  else\n    redis.call('SET', token, text, 'PX', keptMs)\n  end\n  return string.format('%.0f', fence)\nend\n\nlocal held = redis.call('HEXISTS', lock, owner) == 1\n\nlocal moved = 0\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\n\nlocal leftMs = math.min(tonumber(ARGV[6]), nowMs) + tonumber(ARGV[7]) - nowMs\nlocal isKept = held and leftMs > 0\nif held then\n  redis.call('DEL', lock)\n  if isKept then\n\n    redis.call('HSET', lock, owner .. '+kept', 1)\n    redis.call('PEXPIRE', lock, leftMs)\n  end\nelse\n  local place = redis.call('LPOS', queue, owner)\n  if place then\n    leave(place, owner, (knownOf(redis.call('HGET', contributions, owner))))\n    moved = 1\n  end\nend\nlocal head, contributed, leaseMs, fences, dead = headOfTheLiving()\n\nif held and leaseMs and not isKept then\n  leave(0, head, contributed)\n  local fence = nextFence(leaseMs, fences)\n  moved = 1\n  redis.call('HSET', lock, head, 1)\n  redis.call('PEXPIRE', lock, leaseMs)\n  redis.pcall(publish, channel .. ':' .. head, fence)\nelseif head and (held or redis.call('EXISTS', lock) == 0) then\n  redis.pcall(publish, channel .. ':' .. head, '0')\nend\nmoved = moved + dead\nif moved > 0 then call(math.max(0, NEAR_PLACES + 1 - moved), NEAR_PLACES) end\nif not held then return { 'not-held' } end\nreturn { 'released', redis.call('LLEN', queue) }\n",
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
    '6a39546f46d8d1cf0473af35137a2e0cff4b7f0f',
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
  "#!lua flags=allow-oom\n-- Gives back a fair lock, or the place in its line. Whoever is first in line of a lock that is given back is let in, if it\n-- has lately offered that, and told its fence; else, and if the lock was free before, it is told that it may ask.\n-- mirrors: RedissonFairLock.unlockInner, RedissonFairLock.acquireFailed\n-- KEYS: lock, token, queue, deadlines, contributions, mark\n-- ARGV: owner: string, tombstoneMs: integer, retentionMs: integer, publish: string, channel: string\n-- returns: released waiters | not-held\nlocal lock, token, queue, deadlines, contributions, mark = unpack(KEYS)\nlocal owner, tombstoneMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])\nlocal publish, channel = ARGV[4], ARGV[5]\n\nlocal CLOCKS_APART_MS = 2000\n\n\nlocal LATELY = 0.3\nlocal NEAR_PLACES = 4\n\nlocal AT_ONCE = 1000\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\n\nlocal function callWith(words, command, key, ...)\n  local parts = { ... }\n  for first = 1, #words, AT_ONCE do\n    local some = { command, key, unpack(parts) }\n    for at = first, math.min(first + AT_ONCE - 1, #words) do some[#some + 1] = words[at] end\n    redis.call(unpack(some))\n  end\nend\n\n\nlocal function add(ms, from)\n  if ms == 0 then return end\n  local owners, moved = redis.call('LRANGE', queue, from, -1), {}\n  for first = 1, #owners, AT_ONCE do\n    local scores = redis.call('ZMSCORE', deadlines, unpack(owners, first, math.min(first + AT_ONCE - 1, #owners)))\n    for at, score in ipairs(scores) do\n      if score then\n        moved[#moved + 1] = score + ms\n        moved[#moved + 1] = owners[first + at - 1]\n      end\n    end\n  end\n  callWith(moved, 'ZADD', deadlines, 'XX')\nend\n\n\nlocal function leave(place, one, contributed)\n  redis.call('LREM', queue, 0, one)\n  redis.call('ZREM', deadlines, one)\n  redis.call('HDEL', contributions, one)\n  add(-contributed, place)\nend\n\n\n\nlocal function knownOf(known)\n  local numbers = {}\n  for number in string.gmatch(known or '0', '%S+') do numbers[#numbers + 1] = tonumber(number) end\n  return unpack(numbers)\nend\n\n\n\nlocal function headOfTheLiving()\n  local gone, owed = {}, 0\n  local owners, scores, known, at = {}, {}, {}, 1\n  local head, contributed, leaseMs, fences\n  while true do\n    if not owners[at] then\n\n      owners = redis.call('LRANGE', queue, #gone, #gone + (#gone > 0 and AT_ONCE / 10 - 1 or 0))\n      if #owners == 0 then break end\n      scores = redis.call('ZMSCORE', deadlines, unpack(owners))\n      known = redis.call('HMGET', contributions, unpack(owners))\n      at = 1\n    end\n    local one, deadline = owners[at], scores[at] and scores[at] - owed\n    local keptUntil, letInMs, offeredAt\n    contributed, keptUntil, letInMs, offeredAt, fences = knownOf(known[at])\n    if deadline and (keptUntil or deadline + CLOCKS_APART_MS) > nowMs then\n      head = one\n      local isLately = (letInMs or 0) > 0 and nowMs - offeredAt <= letInMs * LATELY\n      leaseMs = isLately and offeredAt + letInMs - nowMs or nil\n      break\n    end\n    gone[#gone + 1] = one\n    owed = owed + contributed\n    at = at + 1\n  end\n  if #gone > 0 then\n    redis.call('LTRIM', queue, #gone, -1)\n    callWith(gone, 'ZREM', deadlines)\n    callWith(gone, 'HDEL', contributions)\n    add(-owed, 0)\n  end\n  return head, contributed, leaseMs, fences, #gone\nend\n\n\nlocal function call(first, last)\n  local owners = redis.call('LRANGE', queue, first, last)\n  if #owners == 0 then return end\n  for at, known in ipairs(redis.call('HMGET', contributions, unpack(owners))) do\n    local contributed, keptUntil, letInMs, offeredAt, fences, patienceMs = knownOf(known)\n    if (patienceMs or 0) > 0 then\n      if type(redis.pcall(publish, channel .. ':' .. owners[at], '0')) == 'table' then return end\n      local called = { contributed, math.min(keptUntil, nowMs + patienceMs), letInMs, offeredAt, fences, 0 }\n      redis.call('HSET', contributions, owners[at], table.concat(called, ' '))\n    end\n  end\nend\n\n\nlocal function nextFence(leaseMs, fences)\n  local last = redis.call('GET', token)\n  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\n  local reserved = fence + fences - 1\n  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)\n  local text = string.format('%.0f', reserved)\n  if retentionMs == 0 then\n    redis.call('SET', token, text)\n  elseif last then\n\n    redis.call('SET', token, text, 'KEEPTTL')\n    redis.call('PEXPIRE', token, keptMs, 'GT')\n  else\n    redis.call('SET', token, text, 'PX', keptMs)\n  end\n  return string.format('%.0f', fence)\nend\n\nlocal held = redis.call('HEXISTS', lock, owner) == 1\n\nlocal moved = 0\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif held then\n  redis.call('DEL', lock)\nelse\n  local place = redis.call('LPOS', queue, owner)\n  if place then\n    leave(place, owner, (knownOf(redis.call('HGET', contributions, owner))))\n    moved = 1\n  end\nend\nlocal head, contributed, leaseMs, fences, dead = headOfTheLiving()\n\nif held and leaseMs then\n  leave(0, head, contributed)\n  local fence = nextFence(leaseMs, fences)\n  moved = 1\n  redis.call('HSET', lock, head, 1)\n  redis.call('PEXPIRE', lock, leaseMs)\n  redis.pcall(publish, channel .. ':' .. head, fence)\nelseif head and (held or redis.call('EXISTS', lock) == 0) then\n  redis.pcall(publish, channel .. ':' .. head, '0')\nend\nmoved = moved + dead\nif moved > 0 then call(math.max(0, NEAR_PLACES + 1 - moved), NEAR_PLACES) end\nif not held then return { 'not-held' } end\nreturn { 'released', redis.call('LLEN', queue) }\n",
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
    'a0d7b3eb6c8a89ab7b1c3fb17f1de7039f43b2f7',
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
  "#!lua flags=no-writes\n-- Shows a hash that may be a lock or a read-write lock, and how many stand in the line of a fair one. A hash that has\n-- more fields than a lock is not read: it may be anybody's, and of any size.\n-- mirrors: RLock.isLocked, RReadWriteLock.readLock().isLocked, RReadWriteLock.writeLock().isLocked\n-- KEYS: lock, token, queue, contributions\n-- ARGV: most: integer\n-- returns: ttlMs lastFence (or empty) inLine mode (or empty) (field count remainingMs fence (or empty))* | nothing if it is neither\nlocal lock, token, queue, contributions = unpack(KEYS)\nlocal found = redis.call('TYPE', lock).ok\nlocal inLine = 0\nfor _, place in ipairs(redis.pcall('LRANGE', queue, 0, -1)) do\n\n  local known = redis.pcall('HGET', contributions, place)\n  if type(known) ~= 'string' then known = '' end\n  inLine = inLine + (tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)')) or 1)\nend\nif found == 'none' then return { -2, '', inLine, '' } end\nif found ~= 'hash' then return {} end\nlocal mode = redis.call('HGET', lock, 'mode') or ''\nif mode == '' and redis.call('HLEN', lock) ~= 1 then return {} end\n\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal ttlMs, last = redis.call('PTTL', lock), redis.pcall('GET', token)\nif type(last) ~= 'string' then last = '' end\nlocal answer = { ttlMs, last, inLine, mode }\nlocal fields = redis.call('HRANDFIELD', lock, ARGV[1], 'WITHVALUES')\nfor at = 1, #fields, 2 do\n  local field, count = fields[at], fields[at + 1]\n  if field ~= 'mode' then\n    local remainingMs, fence = ttlMs, last\n    if mode ~= '' and string.sub(field, -6) ~= ':write' then\n      local hold = base .. ':' .. field .. ':rwlock_timeout:'\n      remainingMs = 0\n      for each = 1, math.min(tonumber(count) or 0, 100) do\n        remainingMs = math.max(remainingMs, redis.call('PTTL', hold .. each))\n      end\n      fence = redis.pcall('GET', hold .. 1)\n\n      if type(fence) ~= 'string' or fence == '1' then fence = '' end\n    end\n    for _, one in ipairs({ field, count, remainingMs, fence }) do answer[#answer + 1] = one end\n  end\nend\nreturn answer\n",
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
    '59d726a4fea6a1d73cb10690f4071646ab876480',
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
  "#!lua flags=allow-oom\n-- Counts down, never below zero, once for all copies of this request; the step that reaches zero tells everybody.\n-- mirrors: RCountDownLatch.countDown\n-- KEYS: latch, mark, round\n-- ARGV: by: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string, roundMs: integer\n-- returns: counted nowMs count | late nowMs\nlocal latch, mark, round = KEYS[1], KEYS[2], KEYS[3]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end\nlocal marked = redis.call('GET', mark)\nif marked then return { 'counted', nowMs, tonumber(marked) } end\nlocal count = redis.call('GET', latch)\nif count and not tonumber(count) then\n  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')\nend\nlocal left = math.max(0, tonumber(count or 0) - tonumber(ARGV[1]))\nif left > 0 then\n  redis.call('DECRBY', latch, ARGV[1])\nelseif count then\n  redis.call('DEL', latch)\n  if tonumber(count) > 0 then\n    redis.pcall(ARGV[4], ARGV[5], '0')\n\n    local stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)\n    redis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))\n  end\nend\nredis.call('SET', mark, left, 'PX', tonumber(ARGV[3]))\nreturn { 'counted', nowMs, left }\n",
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
    '0ab0a322767fc4faf4f16ec91607c8d650e9e889',
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
  "#!lua flags=no-writes\n-- Tells the count of a latch, and which time it is that it is closed.\n-- mirrors: RCountDownLatch.getCount\n-- KEYS: latch, round\n-- ARGV:\n-- returns: the count and the round, each empty if there is none\nreturn { redis.call('GET', KEYS[1]) or '', redis.call('GET', KEYS[2]) or '' }\n",
  (keys: { readonly latch: string; readonly round: string }) => [
    'EVALSHA',
    '7cfcbe30fc7d76afa5de98af96b1974f2429aec2',
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
  "#!lua\n-- Sets the count whatever it was, once for all copies of this request; zero opens the latch and tells everybody.\n-- mirrors: RCountDownLatch.delete, which leaves those who wait asleep\n-- KEYS: latch, mark, round\n-- ARGV: count: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string, roundMs: integer\n-- returns: counted nowMs count | late nowMs\nlocal latch, mark, round = KEYS[1], KEYS[2], KEYS[3]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end\nif redis.call('GET', mark) then return { 'counted', nowMs, tonumber(ARGV[1]) } end\nlocal count = redis.call('GET', latch)\nif count and not tonumber(count) then\n  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')\nend\nlocal wasOpen = not count or tonumber(count) <= 0\nif ARGV[1] ~= '0' then\n  redis.call('SET', latch, ARGV[1])\n  redis.pcall(ARGV[4], ARGV[5], '1')\nelseif redis.call('DEL', latch) == 1 then\n  redis.pcall(ARGV[4], ARGV[5], '0')\nend\nif wasOpen ~= (ARGV[1] == '0') then\n\n  local stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)\n  redis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))\nend\nredis.call('SET', mark, 1, 'PX', tonumber(ARGV[3]))\nreturn { 'counted', nowMs, tonumber(ARGV[1]) }\n",
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
    '8b06019a2e09f95aa792fb648ee185c77b12f8cb',
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
  "#!lua\n-- Sets the count of an open latch, once for all copies of this request.\n-- mirrors: RCountDownLatch.trySetCount\n-- KEYS: latch, mark, round\n-- ARGV: count: integer, notAfterMs: integer, markMs: integer, publish: string, channel: string, roundMs: integer\n-- returns: set nowMs 1 or 0 | late nowMs\nlocal latch, mark, round = KEYS[1], KEYS[2], KEYS[3]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[2]) then return { 'late', nowMs } end\nlocal marked = redis.call('GET', mark)\nif marked then return { 'set', nowMs, tonumber(marked) } end\nlocal count = redis.call('GET', latch)\nif count and not tonumber(count) then\n  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not the count of a latch')\nend\nlocal open = not count or tonumber(count) <= 0\nif open then\n  redis.call('SET', latch, ARGV[1])\n  redis.pcall(ARGV[4], ARGV[5], '1')\n\n  local stamp = math.max(time[1] * 1000000 + time[2], tonumber(redis.call('GET', round) or 0) + 1)\n  redis.call('SET', round, string.format('%.0f', stamp), 'PX', tonumber(ARGV[6]))\nend\nredis.call('SET', mark, open and 1 or 0, 'PX', tonumber(ARGV[3]))\nreturn { 'set', nowMs, open and 1 or 0 }\n",
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
    'e2a6dc1c0d66784f6570a49b2ff72e400a5d44c3',
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
 * Takes a free lock for one owner, or tells how long its holder has left.
 * A repeated request is told what is left of its grant; it is never counted twice.
 *
 * Mirrors RLock.tryLock, RFencedLock.tryLockAndGetToken. Answers fence | granted nowMs remainingMs fence | busy nowMs ttlMs | late nowMs | withdrawn nowMs.
 */
export const lockAcquire = script(
  "#!lua\n-- Takes a free lock for one owner, or tells how long its holder has left.\n-- A repeated request is told what is left of its grant; it is never counted twice.\n-- mirrors: RLock.tryLock, RFencedLock.tryLockAndGetToken\n-- KEYS: lock, token, mark\n-- ARGV: owner: string, leaseMs: integer, fences: integer, notAfterMs: integer, retentionMs: integer\n-- returns: fence | granted nowMs remainingMs fence | busy nowMs ttlMs | late nowMs | withdrawn nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end\n\nlocal ttlMs = redis.call('PTTL', lock)\nif ttlMs ~= -2 then\n  if redis.call('HEXISTS', lock, owner) == 1 then\n\n    local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)\n    return { 'granted', nowMs, ttlMs, last - fences + 1 }\n  end\n  if redis.call('HEXISTS', lock, 'mode') == 1 then\n    return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')\n  end\n  return { 'busy', nowMs, ttlMs }\nend\n\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\n\nlocal last = redis.call('GET', token)\nlocal fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\nlocal reserved = fence + fences - 1\n\nlocal keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)\nif retentionMs == 0 then\n  redis.call('SET', token, string.format('%.0f', reserved))\nelseif last then\n\n  redis.call('SET', token, string.format('%.0f', reserved), 'KEEPTTL')\n  redis.call('PEXPIRE', token, keptMs, 'GT')\nelse\n  redis.call('SET', token, string.format('%.0f', reserved), 'PX', keptMs)\nend\nredis.call('HSET', lock, owner, 1)\nredis.call('PEXPIRE', lock, leaseMs)\n\n\nif fence == time[1] * 1000000 + time[2] then return fence end\nreturn { 'granted', nowMs, leaseMs, fence }\n",
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
    'b5c6f6d65197871eeba884817335fc45a5779f65',
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
 * Mirrors RLock.forceUnlock. Answers forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs.
 */
export const lockForce = script(
  "#!lua flags=allow-oom\n-- Takes the lock away from whoever has it and raises the fence, so that the resource refuses what it still writes.\n-- With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.\n-- Once for all copies of this request: a later one would take it from whoever came next.\n-- mirrors: RLock.forceUnlock\n-- KEYS: lock, token, mark\n-- ARGV: fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string\n-- returns: forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal markMs, retentionMs, publish, channel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\nlocal marked = redis.call('GET', mark)\nif marked then\n  local lastFence, leftMs, taken = string.match(marked, '^(%d+) (%S+) (.*)$')\n  if not taken then return { 'not-forced', nowMs } end\n  return { 'forced', nowMs, taken, tonumber(lastFence), tonumber(leftMs) }\nend\n\nlocal function notForced()\n  redis.call('SET', mark, '-', 'PX', markMs)\n  return { 'not-forced', nowMs }\nend\n\nlocal owner = redis.call('HKEYS', lock)[1]\nif not owner then return notForced() end\nif redis.call('HEXISTS', lock, 'mode') == 1 then\n  return redis.error_reply('HOLDFASTFOREIGN a read-write lock is kept under this name')\nend\nlocal last = redis.call('GET', token) or '0'\nif ARGV[1] ~= '' and ARGV[1] ~= last then return notForced() end\nif ARGV[2] ~= '' and ARGV[2] ~= owner then return notForced() end\nlocal ttlMs = redis.call('PTTL', lock)\nlocal raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])\nlocal persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\nredis.call('SET', token, string.format('%.0f', raised))\n\nif not persistent then\n  redis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))\nend\nredis.call('DEL', lock)\nredis.pcall(publish, channel, '0')\nredis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)\nreturn { 'forced', nowMs, owner, tonumber(last), ttlMs }\n",
  (
    keys: { readonly lock: string; readonly token: string; readonly mark: string },
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
    '6562baa6d2f6b0b5c6bbd734d0c4f438ff630cb0',
    '3',
    keys.lock,
    keys.token,
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
 * Tells who holds a lock, and how many stand in the line of a fair one.
 *
 * Mirrors RLock.isLocked, RLock.remainTimeToLive, RFencedLock.getToken. Answers ttlMs lastFence waiters owner?.
 */
export const lockLook = script(
  "#!lua flags=no-writes\n-- Tells who holds a lock, and how many stand in the line of a fair one.\n-- mirrors: RLock.isLocked, RLock.remainTimeToLive, RFencedLock.getToken\n-- KEYS: lock, token, queue, contributions\n-- ARGV:\n-- returns: ttlMs lastFence waiters owner?\nlocal lock, token, queue, contributions = unpack(KEYS)\nlocal ttlMs = redis.call('PTTL', lock)\nlocal last = tonumber(redis.call('GET', token) or 0)\nlocal waiters = 0\nfor _, place in ipairs(redis.call('LRANGE', queue, 0, -1)) do\n\n  local known = redis.call('HGET', contributions, place) or ''\n  waiters = waiters + (tonumber(string.match(known, '^%S+ %S+ %S+ %S+ (%d+)')) or 1)\nend\nif ttlMs == -2 then return { ttlMs, last, waiters } end\nreturn { ttlMs, last, waiters, redis.call('HKEYS', lock)[1] }\n",
  (keys: {
    readonly lock: string;
    readonly token: string;
    readonly queue: string;
    readonly contributions: string;
  }) => [
    'EVALSHA',
    '5d89ad880ca9af79811cfe7dc6eb3b9776235957',
    '4',
    keys.lock,
    keys.token,
    keys.queue,
    keys.contributions,
  ],
);

/**
 * Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has kept all.
 *
 * Mirrors nothing; a quorum of locks needs it. Answers raised upMs | gone.
 */
export const lockRaise = script(
  "#!lua flags=allow-oom\n-- Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has kept all.\n-- mirrors: nothing; a quorum of locks needs it\n-- KEYS: lock, token, promoted\n-- ARGV: owner: string, fence: integer, retentionMs: integer, promotedMs: integer\n-- returns: raised upMs | gone\nlocal lock, token, promoted = KEYS[1], KEYS[2], KEYS[3]\nlocal fence, retentionMs, promotedMs = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])\nif redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'gone' } end\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif fence > tonumber(redis.call('GET', token) or 0) then\n  local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\n  redis.call('SET', token, string.format('%.0f', fence))\n\n  if not persistent then\n    local keptMs = retentionMs + math.max(0, redis.call('PTTL', lock))\n    redis.call('PEXPIRE', token, keptMs + math.max(0, math.ceil(fence / 1000) - nowMs))\n  end\nend\n\nlocal upMs = (string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)') or 0) * 1000\n\n\n\nlocal replication = redis.call('INFO', 'replication')\nlocal id = string.match(replication, 'master_replid:(%x+)')\nlocal earlier = string.match(replication, 'master_replid2:(%x+)')\nif id and earlier and string.find(earlier, '[^0]') then\n  local seen, sinceMs = string.match(redis.call('GET', promoted) or '', '^(%x+) (%d+)$')\n  if seen ~= id or tonumber(sinceMs) > nowMs then sinceMs = nowMs end\n  redis.call('SET', promoted, id .. ' ' .. string.format('%.0f', sinceMs))\n  if promotedMs > 0 then redis.call('PEXPIRE', promoted, promotedMs) end\n  upMs = math.min(upMs, nowMs - sinceMs)\nend\nreturn { 'raised', upMs }\n",
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
    '1fa40fe2099ec1a85918e4a55ca4c17cb1da106e',
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
 * the lock has an owner that no request renews or gives back. Tells one waiter in each process either way: those who
 * wait had counted on a later end.
 * With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
 *
 * Mirrors RLock.unlock. Answers receivers, if it was released, -1 if it may not tell them | not-held.
 */
export const lockReleaseLater = script(
  "#!lua flags=allow-oom\n-- Gives back the lock, if this owner has it and the time is over for which it was to last. Else it sets that end: until then\n-- the lock has an owner that no request renews or gives back. Tells one waiter in each process either way: those who\n-- wait had counted on a later end.\n-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.\n-- mirrors: RLock.unlock\n-- KEYS: lock, mark\n-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string, grantedMs: integer, minHoldMs: integer\n-- returns: receivers, if it was released, -1 if it may not tell them | not-held\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal tombstoneMs = tonumber(ARGV[2])\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'not-held' } end\nredis.call('DEL', lock)\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\nlocal leftMs = math.min(tonumber(ARGV[5]), nowMs) + tonumber(ARGV[6]) - nowMs\nif leftMs > 0 then\n\n  redis.call('HSET', lock, ARGV[1] .. '+kept', 1)\n  redis.call('PEXPIRE', lock, leftMs)\nend\nlocal receivers = redis.pcall(ARGV[3], ARGV[4], '0')\nif type(receivers) ~= 'number' then return -1 end\nif receivers > 0 and ARGV[3] == 'PUBLISH' then\n\n  receivers = redis.pcall('PUBSUB', 'NUMSUB', ARGV[4])[2] or receivers\nend\nreturn receivers\n",
  (
    keys: { readonly lock: string; readonly mark: string },
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
    '5a345ba6a69f205809dfbc1ba48c1dfb33512503',
    '2',
    keys.lock,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
    String(args.grantedMs),
    String(args.minHoldMs),
  ],
);

/**
 * Gives back the lock, if this owner has it, and tells one waiter in each process.
 * With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.
 *
 * Mirrors RLock.unlock. Answers receivers, if it was released, -1 if it may not tell them | not-held.
 */
export const lockRelease = script(
  "#!lua flags=allow-oom\n-- Gives back the lock, if this owner has it, and tells one waiter in each process.\n-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.\n-- mirrors: RLock.unlock\n-- KEYS: lock, mark\n-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string\n-- returns: receivers, if it was released, -1 if it may not tell them | not-held\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal tombstoneMs = tonumber(ARGV[2])\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif redis.call('HEXISTS', lock, ARGV[1]) == 0 then return { 'not-held' } end\nredis.call('DEL', lock)\nlocal receivers = redis.pcall(ARGV[3], ARGV[4], '0')\nif type(receivers) ~= 'number' then return -1 end\nif receivers > 0 and ARGV[3] == 'PUBLISH' then\n\n  receivers = redis.pcall('PUBSUB', 'NUMSUB', ARGV[4])[2] or receivers\nend\nreturn receivers\n",
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
    '675e1458e4b3a4719362df4ab41ea88e0d539564',
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
 * Renews many holds of locks, fair locks among them, for the same time. Never shortens one. A hold whose key is now of
 * another kind is gone. The fence is remembered for as long as the hold and the retention after it.
 *
 * Mirrors the watchdog of RLock. Answers remainingMs for each, -2 if gone.
 */
export const lockRenew = script(
  "#!lua flags=allow-oom\n-- Renews many holds of locks, fair locks among them, for the same time. Never shortens one. A hold whose key is now of\n-- another kind is gone. The fence is remembered for as long as the hold and the retention after it.\n-- mirrors: the watchdog of RLock\n-- KEYS: locks*\n-- ARGV: retentionMs: integer, leaseMs: integer, owners*: string\n-- returns: remainingMs for each, -2 if gone\nlocal remaining, retentionMs, leaseMs = {}, tonumber(ARGV[1]), tonumber(ARGV[2])\nfor at, lock in ipairs(KEYS) do\n  if redis.pcall('HEXISTS', lock, ARGV[2 + at]) == 1 then\n    local ttlMs = redis.call('PTTL', lock)\n    if ttlMs >= 0 and ttlMs < leaseMs then\n      redis.call('PEXPIRE', lock, leaseMs)\n      ttlMs = leaseMs\n    end\n    remaining[at] = ttlMs < 0 and leaseMs or ttlMs\n    if retentionMs > 0 then\n      local tag = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\n      redis.call('PEXPIRE', 'redisson_lock_token:' .. tag, retentionMs + remaining[at], 'GT')\n    end\n  else\n    remaining[at] = -2\n  end\nend\nreturn remaining\n",
  (
    keys: { readonly locks: readonly string[] },
    args: { readonly retentionMs: number; readonly leaseMs: number; readonly owners: readonly string[] },
  ) => [
    'EVALSHA',
    '9caaaa8dc8e17ef563729c736de1ab6ce48069ae',
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
  "#!lua\n-- Takes permits for one id. A permit is a member of 16 raw bytes with the time of its end; several of one id differ in\n-- their last two bytes.\n-- mirrors: RPermitExpirableSemaphore.tryAcquire, RPermitExpirableSemaphore.trySetPermits\n-- KEYS: counter, deadlines, token, mark\n-- ARGV: id: string, permits: integer, total: integer, leaseMs: integer, notAfterMs: integer, retentionMs: integer, publish: string, channel: string\n-- returns: granted nowMs remainingMs fence | busy nowMs againInMs | mismatch nowMs total | late nowMs | withdrawn nowMs\nlocal counter, deadlines, token, mark = KEYS[1], KEYS[2], KEYS[3], KEYS[4]\nlocal id, permits, total, leaseMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])\nlocal retentionMs, publish, channel = tonumber(ARGV[6]), ARGV[7], ARGV[8]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[5]) then return { 'late', nowMs } end\n\n\nlocal shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)\nlocal first = tonumber(string.sub(id, 29), 16)\nlocal function member(at)\n  return shared .. string.char(math.floor((first + at) / 256) % 256, (first + at) % 256)\nend\n\nlocal function nextFence()\n  local last = redis.call('GET', token)\n  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\n  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)\n  if retentionMs == 0 then\n    redis.call('SET', token, string.format('%.0f', fence))\n  elseif last then\n\n    redis.call('SET', token, string.format('%.0f', fence), 'KEEPTTL')\n    redis.call('PEXPIRE', token, keptMs, 'GT')\n  else\n    redis.call('SET', token, string.format('%.0f', fence), 'PX', keptMs)\n  end\n  return fence\nend\n\nlocal free = redis.call('GET', counter)\nif free and not tonumber(free) then\n  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')\nend\nlocal own = tonumber(redis.call('ZSCORE', deadlines, member(0)) or 0)\nif own > nowMs then return { 'granted', nowMs, own - nowMs, nextFence() } end\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nif not free then\n\n  redis.call('ZREMRANGEBYSCORE', deadlines, 0, nowMs)\n  free = total - redis.call('ZCARD', deadlines)\n  redis.call('SET', counter, free)\n  if free > 0 then redis.pcall(publish, channel, free) end\nend\nlocal all = tonumber(free) + redis.call('ZCARD', deadlines)\nif all ~= total then return { 'mismatch', nowMs, all } end\n\nlocal ended = redis.call('ZRANGEBYSCORE', deadlines, 0, nowMs)\nfor _, one in ipairs(ended) do redis.call('ZREM', deadlines, one) end\nif #ended > 0 then\n  free = redis.call('INCRBY', counter, #ended)\n  if free > 0 then redis.pcall(publish, channel, free) end\nend\nif tonumber(free) < permits then\n  local soonest = redis.call('ZRANGE', deadlines, 0, 0, 'WITHSCORES')\n  return { 'busy', nowMs, soonest[2] and tonumber(soonest[2]) - nowMs or -1 }\nend\n\nlocal fence = nextFence()\nredis.call('DECRBY', counter, permits)\nfor at = 0, permits - 1 do redis.call('ZADD', deadlines, nowMs + leaseMs, member(at)) end\nlocal ttlMs = redis.call('PTTL', counter)\nif ttlMs > 0 then redis.call('PEXPIRE', deadlines, ttlMs) end\nreturn { 'granted', nowMs, leaseMs, fence }\n",
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
    'ba0a872247794e4ea34bfe0c28b76d33ca60e6f6',
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
  "#!lua flags=no-writes\n-- Tells how many permits are taken, and by which ids until when.\n-- mirrors: RPermitExpirableSemaphore.acquiredPermits, getPermits\n-- KEYS: counter, deadlines\n-- ARGV:\n-- returns: nowMs free (or empty) (id untilMs)*\nlocal counter, deadlines = KEYS[1], KEYS[2]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal free = redis.call('GET', counter)\nif free and not tonumber(free) then\n  return redis.error_reply('HOLDFASTFOREIGN the value under this name is not a number of permits')\nend\nlocal members = redis.call('ZRANGE', deadlines, 0, -1, 'WITHSCORES')\nlocal answer = { nowMs, free or '' }\nfor at = 1, #members, 2 do\n  answer[#answer + 1] = (string.gsub(members[at], '.', function(byte) return string.format('%02x', string.byte(byte)) end))\n  answer[#answer + 1] = tonumber(members[at + 1])\nend\nreturn answer\n",
  (keys: { readonly counter: string; readonly deadlines: string }) => [
    'EVALSHA',
    '43db5502c61bedce3436f0bb91c8e90e210286c0',
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
  "#!lua flags=allow-oom\n-- Gives back all permits of one id. One whose time was over is given back too, and reported as no longer held.\n-- mirrors: RPermitExpirableSemaphore.tryRelease\n-- KEYS: counter, deadlines, mark\n-- ARGV: id: string, tombstoneMs: integer, publish: string, channel: string\n-- returns: released receivers, -1 if it may not tell them | not-held\nlocal counter, deadlines, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal id, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\n\nlocal shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)\nlocal first = tonumber(string.sub(id, 29), 16)\nlocal function member(at)\n  return shared .. string.char(math.floor((first + at) / 256) % 256, (first + at) % 256)\nend\n\nlocal function endOf(at) return tonumber(redis.call('ZSCORE', deadlines, member(at)) or 0) end\n\nlocal standing = endOf(0) > nowMs\nlocal removed = 0\nwhile redis.call('ZREM', deadlines, member(removed)) == 1 do removed = removed + 1 end\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif removed == 0 then return { 'not-held' } end\nlocal free = redis.call('INCRBY', counter, removed)\nlocal receivers = free > 0 and redis.pcall(publish, channel, free) or 0\nreturn { standing and 'released' or 'not-held', type(receivers) == 'number' and receivers or -1 }\n",
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
    'a93493025adfde3f87654869a93e26dfa89dedf9',
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
  "#!lua flags=allow-oom\n-- Renews many permits. Never shortens one, and never brings one back whose time is over.\n-- mirrors: RPermitExpirableSemaphore.updateLeaseTime\n-- KEYS: deadlines*\n-- ARGV: ids*: string, leasesMs*: integer\n-- returns: remainingMs for each, -2 if gone\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nlocal remaining = {}\nfor at, deadlines in ipairs(KEYS) do\n  local id, leaseMs = ARGV[at], tonumber(ARGV[#KEYS + at])\n\n  local shared = string.gsub(string.sub(id, 1, 28), '..', function(byte) return string.char(tonumber(byte, 16)) end)\n  local first = tonumber(string.sub(id, 29), 16)\n  local function member(place)\n    return shared .. string.char(math.floor((first + place) / 256) % 256, (first + place) % 256)\n  end\n  local score = redis.pcall('ZSCORE', deadlines, member(0))\n  local ends = type(score) == 'string' and tonumber(score) or 0\n  if ends > nowMs then\n    local until_ = math.max(ends, nowMs + leaseMs)\n    local place = 0\n    while redis.call('ZSCORE', deadlines, member(place)) do\n      redis.call('ZADD', deadlines, 'XX', 'GT', until_, member(place))\n      place = place + 1\n    end\n    remaining[at] = until_ - nowMs\n  else\n    remaining[at] = -2\n  end\nend\nreturn remaining\n",
  (
    keys: { readonly deadlines: readonly string[] },
    args: { readonly ids: readonly string[]; readonly leasesMs: readonly number[] },
  ) => [
    'EVALSHA',
    'fe1112e93735d9cd76ceaa1ab9e626010bab4337',
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
  "#!lua\n-- Takes the read side: while nobody writes, or under the owner's own write, whose fence it then shares.\n-- It has an id of its own all the same: a late copy of an earlier read's release must not free a later one.\n-- The key of the hold, whose value Java never looks at, keeps the fence.\n-- Java's watchdog cuts the time of the hash and, before Redisson 4.4, that of this key: until when the hold was promised\n-- stands in a hash that only our scripts touch, and a writer of ours waits until then.\n-- mirrors: RReadWriteLock.readLock().tryLock\n-- KEYS: lock, token, mark\n-- ARGV: owner: string, writer: string, leaseMs: integer, notAfterMs: integer, retentionMs: integer\n-- returns: granted nowMs remainingMs fence hashMs | busy nowMs ttlMs | late nowMs | withdrawn nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal owner, writer, leaseMs, retentionMs = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[5])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal hold = base .. ':' .. owner .. ':rwlock_timeout:1'\nlocal promised = 'holdfast_read_until:' .. base\n\nlocal function nextFence()\n  local last = redis.call('GET', token)\n  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\n  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)\n  if retentionMs == 0 then\n    redis.call('SET', token, string.format('%.0f', fence))\n  elseif last then\n\n    redis.call('SET', token, string.format('%.0f', fence), 'KEEPTTL')\n    redis.call('PEXPIRE', token, keptMs, 'GT')\n  else\n    redis.call('SET', token, string.format('%.0f', fence), 'PX', keptMs)\n  end\n  return fence\nend\n\nlocal mode = redis.call('HGET', lock, 'mode')\nif not mode and redis.call('EXISTS', lock) == 1 then\n  return redis.error_reply('HOLDFASTFOREIGN another kind of lock is kept under this name')\nend\nif mode and redis.call('HEXISTS', lock, owner) == 1 then\n  local remainingMs = redis.call('PTTL', hold)\n  if remainingMs > 0 then return { 'granted', nowMs, remainingMs, tonumber(redis.call('GET', hold)), redis.call('PTTL', lock) } end\nend\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nif mode == 'write' and redis.call('HEXISTS', lock, writer .. ':write') == 0 then\n  return { 'busy', nowMs, redis.call('PTTL', lock) }\nend\n\n\nlocal fence = mode == 'write' and tonumber(redis.call('GET', token) or 0) or nextFence()\nif not mode then redis.call('HSET', lock, 'mode', 'read') end\nredis.call('HSET', lock, owner, 1)\nredis.call('SET', hold, string.format('%.0f', fence), 'PX', leaseMs)\nredis.call('HSET', promised, owner, nowMs + leaseMs)\nif redis.call('PTTL', promised) < leaseMs then redis.call('PEXPIRE', promised, leaseMs) end\nlocal hashMs = mode and redis.call('PTTL', lock) or leaseMs\nif not mode or hashMs < leaseMs then redis.call('PEXPIRE', lock, leaseMs) end\nreturn { 'granted', nowMs, leaseMs, fence, hashMs }\n",
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
    'd688d34a12b885e593771b99b321d0bd2b7c2f05',
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
  "#!lua flags=allow-oom\n-- Gives back a read hold. The last one out tells those who wait; one that leaves only dead readers behind counts as last.\n-- mirrors: RReadWriteLock.readLock().unlock\n-- KEYS: lock, mark\n-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string\n-- returns: released receivers, -1 if it may not tell them | not-held\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal owner, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal mode = redis.call('HGET', lock, 'mode')\nredis.call('HDEL', 'holdfast_read_until:' .. base, owner)\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif not mode then\n  if redis.call('EXISTS', lock) == 0 then redis.pcall(publish, channel, '0') end\n  return { 'not-held' }\nend\n\n\nlocal function longestMs()\n  local longest, fields = 0, redis.call('HGETALL', lock)\n  for at = 1, #fields, 2 do\n    for count = 1, tonumber(fields[at + 1]) or 0 do\n      longest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))\n    end\n  end\n  return longest\nend\n\nlocal held = redis.call('HEXISTS', lock, owner) == 1\nif held then redis.call('HDEL', lock, owner) end\nlocal stood = redis.call('DEL', base .. ':' .. owner .. ':rwlock_timeout:1') == 1\nif not held then return { 'not-held' } end\nlocal answer = stood and 'released' or 'not-held'\n\nif mode == 'write' then return { answer, 0 } end\nif redis.call('HLEN', lock) > 1 then\n  local longest = longestMs()\n  if longest > 0 then\n    redis.call('PEXPIRE', lock, longest)\n    return { answer, 0 }\n  end\nend\nredis.call('DEL', lock)\nlocal receivers = redis.pcall(publish, channel, '0')\nreturn { answer, type(receivers) == 'number' and receivers or -1 }\n",
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
    'a8a72a9413add0c61ea50ad3aea9ea08f735fcd9',
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
  "#!lua flags=allow-oom\n-- Takes one side away: the writer, or the readers. With a fence, only the writer or the reader that has it;\n-- with an owner, only that one.\n-- Once for all copies of this request: a later one would take it from whoever came next.\n-- mirrors: RReadWriteLock.readLock().forceUnlock, RReadWriteLock.writeLock().forceUnlock\n-- KEYS: lock, token, mark\n-- ARGV: side: string, fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, publish: string, channel: string\n-- returns: forced nowMs owner fence ttlMs | not-forced nowMs | late nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal side, wanted, wantedOwner = ARGV[1], ARGV[2], ARGV[3]\nlocal markMs, retentionMs, publish, channel = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7], ARGV[8]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end\nlocal marked = redis.call('GET', mark)\nif marked then\n  local lastFence, leftMs, taken = string.match(marked, '^(%d+) (%S+) (.*)$')\n  if not taken then return { 'not-forced', nowMs } end\n  return { 'forced', nowMs, taken, tonumber(lastFence), tonumber(leftMs) }\nend\n\nlocal function notForced()\n  redis.call('SET', mark, '-', 'PX', markMs)\n  return { 'not-forced', nowMs }\nend\n\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nif redis.call('HGET', lock, 'mode') ~= side then return notForced() end\nlocal last = redis.call('GET', token) or '0'\nlocal ttlMs = redis.call('PTTL', lock)\n\nlocal function raiseFence()\n  local raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])\n  local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\n  redis.call('SET', token, string.format('%.0f', raised))\n\n  if not persistent then\n    redis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))\n  end\nend\n\nif side == 'write' then\n  if wanted ~= '' and wanted ~= last then return notForced() end\n  local owner, fields = nil, redis.call('HKEYS', lock)\n  for _, field in ipairs(fields) do\n    if string.sub(field, -6) == ':write' then owner = string.sub(field, 1, -7) end\n  end\n  if wantedOwner ~= '' and wantedOwner ~= owner then return notForced() end\n  redis.call('HDEL', 'holdfast_read_until:' .. base, unpack(fields))\n  raiseFence()\n  redis.call('DEL', lock)\n  redis.pcall(publish, channel, '1')\n  redis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)\n  return { 'forced', nowMs, owner, tonumber(last), ttlMs }\nend\n\nlocal taken, fence, longest, fields = nil, 0, 0, redis.call('HGETALL', lock)\nfor at = 1, #fields, 2 do\n  local owner = fields[at]\n  if owner ~= 'mode' then\n    local hold = base .. ':' .. owner .. ':rwlock_timeout:'\n    local own = redis.call('GET', hold .. 1)\n    if (wanted == '' or wanted == own) and (wantedOwner == '' or wantedOwner == owner) then\n\n      if not taken then taken, fence = owner, own and own ~= '1' and tonumber(own) or 0 end\n      redis.call('HDEL', lock, owner)\n\n      redis.call('DEL', hold .. 1)\n      redis.call('HDEL', 'holdfast_read_until:' .. base, owner)\n    else\n      for count = 1, tonumber(fields[at + 1]) or 0 do\n        longest = math.max(longest, redis.call('PTTL', hold .. count))\n      end\n    end\n  end\nend\nif not taken then return notForced() end\nraiseFence()\nif longest > 0 then\n  redis.call('PEXPIRE', lock, longest)\nelse\n  redis.call('DEL', lock)\n  redis.pcall(publish, channel, '0')\nend\nredis.call('SET', mark, string.format('%.0f', fence) .. ' ' .. ttlMs .. ' ' .. taken, 'PX', markMs)\nreturn { 'forced', nowMs, taken, fence, ttlMs }\n",
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
    '618dd685fbd2aba76ca580b3c65a5f9706224978',
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
  "#!lua flags=no-writes\n-- Tells who writes and who reads.\n-- mirrors: RReadWriteLock.readLock().isLocked, RReadWriteLock.writeLock().isLocked\n-- KEYS: lock, token\n-- ARGV:\n-- returns: ttlMs lastFence mode (field ttlMs fence)*\nlocal lock, token = KEYS[1], KEYS[2]\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal ttlMs = redis.call('PTTL', lock)\nlocal answer = { ttlMs, tonumber(redis.call('GET', token) or 0), redis.call('HGET', lock, 'mode') or '' }\nlocal fields = redis.call('HGETALL', lock)\nfor at = 1, #fields, 2 do\n  if string.sub(fields[at], -6) == ':write' then\n    answer[#answer + 1] = fields[at]\n    answer[#answer + 1] = ttlMs\n    answer[#answer + 1] = answer[2]\n  elseif fields[at] ~= 'mode' then\n    local longest = 0\n    for count = 1, tonumber(fields[at + 1]) or 0 do\n      longest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))\n    end\n    local fence = tonumber(redis.call('GET', base .. ':' .. fields[at] .. ':rwlock_timeout:1') or 0)\n    answer[#answer + 1] = fields[at]\n    answer[#answer + 1] = longest\n\n    answer[#answer + 1] = fence == 1 and 0 or fence\n  end\nend\nreturn answer\n",
  (keys: { readonly lock: string; readonly token: string }) => [
    'EVALSHA',
    '6b752e2e801d09f857b34a142e64cfda0c1abdd4',
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
  "#!lua flags=allow-oom\n-- Renews many read and write holds. Never shortens one, and never the hash that other readers count on. Of a read hold it\n-- also tells what the hash had left if that was less than the hold was promised: a watchdog of Java has cut it.\n-- mirrors: the watchdogs of RReadWriteLock\n-- KEYS: locks*\n-- ARGV: retentionMs: integer, owners*: string, sides*: string, leasesMs*: integer\n-- returns: remainingMs for each, -2 if gone; then for each cutToMs, -1 if nobody has cut it\nlocal remaining, cut, count, retentionMs = {}, {}, #KEYS, tonumber(ARGV[1])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\n\nlocal ROUNDED_MS = 5\nfor at, lock in ipairs(KEYS) do\n  local owner, side, leaseMs = ARGV[1 + at], ARGV[1 + count + at], tonumber(ARGV[1 + 2 * count + at])\n  local base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\n  local field = side == 'write' and owner .. ':write' or owner\n  local kept = side == 'write' and lock or base .. ':' .. owner .. ':rwlock_timeout:1'\n  local promised = 'holdfast_read_until:' .. base\n  local ttlMs = redis.pcall('HEXISTS', lock, field) == 1 and redis.call('PTTL', kept) or -2\n  cut[at] = -1\n\n  if side == 'read' and ttlMs ~= -2 then\n    local hashMs, untilMs = redis.call('PTTL', lock), tonumber(redis.call('HGET', promised, owner) or 0)\n    if hashMs >= 0 and hashMs < untilMs - nowMs - ROUNDED_MS then cut[at] = hashMs end\n  end\n  if ttlMs ~= -2 then\n    if ttlMs >= 0 and ttlMs < leaseMs then\n      redis.call('PEXPIRE', kept, leaseMs)\n      ttlMs = leaseMs\n    end\n    if ttlMs < 0 then ttlMs = leaseMs end\n    redis.call('PEXPIRE', lock, ttlMs, 'GT')\n    if side == 'read' then\n\n      local untilMs = math.max(tonumber(redis.call('HGET', promised, owner) or 0), nowMs + ttlMs)\n      redis.call('HSET', promised, owner, untilMs)\n      if redis.call('PTTL', promised) < untilMs - nowMs then redis.call('PEXPIRE', promised, untilMs - nowMs) end\n    end\n    if retentionMs > 0 then\n      redis.call('PEXPIRE', 'redisson_lock_token:' .. base, retentionMs + ttlMs, 'GT')\n    end\n  end\n  remaining[at] = ttlMs\nend\nfor at = 1, count do remaining[count + at] = cut[at] end\nreturn remaining\n",
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
    'f58582b7fd8da1278ca632f1b2e8fb0ba7658775',
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
  "#!lua flags=no-writes\n-- Tells the time of the server that owns a key.\n-- mirrors: nothing\n-- KEYS: key\n-- ARGV:\n-- returns: nowMs\nlocal time = redis.call('TIME')\nreturn { time[1] * 1000 + math.floor(time[2] / 1000) }\n",
  (keys: { readonly key: string }) => ['EVALSHA', '33ee4b4065e452054e12a67c94a781a6743cafb6', '1', keys.key],
);

/**
 * Takes a free lock for one owner, or tells how long its holder has left. The lock is a string: its holder's id.
 * A repeated request is told what is left of its grant; it is never counted twice.
 *
 * Mirrors RedisLockRegistry, obtaining a lock. Answers granted nowMs remainingMs fence | busy nowMs ttlMs | late nowMs | withdrawn nowMs.
 */
export const springLockAcquire = script(
  "#!lua\n-- Takes a free lock for one owner, or tells how long its holder has left. The lock is a string: its holder's id.\n-- A repeated request is told what is left of its grant; it is never counted twice.\n-- mirrors: RedisLockRegistry, obtaining a lock\n-- KEYS: lock, token, mark\n-- ARGV: owner: string, leaseMs: integer, fences: integer, notAfterMs: integer, retentionMs: integer\n-- returns: granted nowMs remainingMs fence | busy nowMs ttlMs | late nowMs | withdrawn nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal owner, leaseMs, fences, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end\n\nlocal holder = redis.call('GET', lock)\nif holder == owner then\n  local last = tonumber(redis.call('GET', token) or time[1] * 1000000 + time[2] + fences - 1)\n  return { 'granted', nowMs, redis.call('PTTL', lock), last - fences + 1 }\nend\nif holder then return { 'busy', nowMs, redis.call('PTTL', lock) } end\n\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\n\nlocal last = redis.call('GET', token)\nlocal fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\nlocal reserved = fence + fences - 1\n\nlocal keptMs = retentionMs + leaseMs + math.max(0, math.ceil(reserved / 1000) - nowMs)\nif retentionMs == 0 then\n  redis.call('SET', token, string.format('%.0f', reserved))\nelseif last then\n\n  redis.call('SET', token, string.format('%.0f', reserved), 'KEEPTTL')\n  redis.call('PEXPIRE', token, keptMs, 'GT')\nelse\n  redis.call('SET', token, string.format('%.0f', reserved), 'PX', keptMs)\nend\nredis.call('SET', lock, owner, 'PX', leaseMs)\nreturn { 'granted', nowMs, leaseMs, fence }\n",
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
    'c90e5f11712cea3201f7b95c417573d34a491ab4',
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
  "#!lua flags=allow-oom\n-- Takes the lock away from whoever has it and raises the fence, so that the resource refuses what it still writes.\n-- With a fence, only from the grant that this fence is the last of; with an owner, only from that owner.\n-- Once for all copies of this request: a later one would take it from whoever came next.\n-- mirrors: nothing; the holder's id is all that RedisLockRegistry looks at\n-- KEYS: lock, token, mark\n-- ARGV: fence: string, owner: string, notAfterMs: integer, markMs: integer, retentionMs: integer, channel: string, oldChannel: string\n-- returns: forced nowMs owner lastFence ttlMs | not-forced nowMs | late nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal markMs, retentionMs, channel, oldChannel = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6], ARGV[7]\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\nlocal marked = redis.call('GET', mark)\nif marked then\n  local lastFence, leftMs, taken = string.match(marked, '^(%d+) (%S+) (.*)$')\n  if not taken then return { 'not-forced', nowMs } end\n  return { 'forced', nowMs, taken, tonumber(lastFence), tonumber(leftMs) }\nend\n\nlocal function notForced()\n  redis.call('SET', mark, '-', 'PX', markMs)\n  return { 'not-forced', nowMs }\nend\n\nlocal owner = redis.call('GET', lock)\nif not owner then return notForced() end\nlocal last = redis.call('GET', token) or '0'\nif ARGV[1] ~= '' and ARGV[1] ~= last then return notForced() end\nif ARGV[2] ~= '' and ARGV[2] ~= owner then return notForced() end\nlocal ttlMs = redis.call('PTTL', lock)\nlocal raised = math.max(tonumber(last) + 1, time[1] * 1000000 + time[2])\nlocal persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\nredis.call('SET', token, string.format('%.0f', raised))\n\nif not persistent then\n  redis.call('PEXPIRE', token, retentionMs + math.max(0, math.ceil(raised / 1000) - nowMs))\nend\nredis.call('UNLINK', lock)\nif channel ~= '' then\n  redis.pcall('PUBLISH', channel, lock)\n  redis.pcall('PUBLISH', oldChannel, lock)\nend\nredis.call('SET', mark, last .. ' ' .. ttlMs .. ' ' .. owner, 'PX', markMs)\nreturn { 'forced', nowMs, owner, tonumber(last), ttlMs }\n",
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
    'a52bb71d687e29a7947a463e8817e1090a3e173e',
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
  "#!lua flags=no-writes\n-- Tells who holds a Spring lock.\n-- mirrors: nothing; RedisLockRegistry knows only whether it holds a lock itself\n-- KEYS: lock, token\n-- ARGV:\n-- returns: ttlMs lastFence owner?\nlocal lock, token = KEYS[1], KEYS[2]\nlocal last = tonumber(redis.call('GET', token) or 0)\nlocal owner = redis.call('GET', lock)\nif not owner then return { -2, last } end\nreturn { redis.call('PTTL', lock), last, owner }\n",
  (keys: { readonly lock: string; readonly token: string }) => [
    'EVALSHA',
    '71c17ef6c676018adda1ef8d2fa16c4134221dc6',
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
  "#!lua flags=allow-oom\n-- Writes a fence back as a floor, if this owner still has the lock, and tells for how long the server has kept all.\n-- mirrors: nothing; a quorum of locks needs it\n-- KEYS: lock, token, promoted\n-- ARGV: owner: string, fence: integer, retentionMs: integer, promotedMs: integer\n-- returns: raised upMs | gone\nlocal lock, token, promoted = KEYS[1], KEYS[2], KEYS[3]\nlocal fence, retentionMs, promotedMs = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])\nif redis.call('GET', lock) ~= ARGV[1] then return { 'gone' } end\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif fence > tonumber(redis.call('GET', token) or 0) then\n  local persistent = redis.call('PTTL', token) == -1 or retentionMs == 0\n  redis.call('SET', token, string.format('%.0f', fence))\n\n  if not persistent then\n    local keptMs = retentionMs + math.max(0, redis.call('PTTL', lock))\n    redis.call('PEXPIRE', token, keptMs + math.max(0, math.ceil(fence / 1000) - nowMs))\n  end\nend\n\nlocal upMs = (string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)') or 0) * 1000\n\n\n\nlocal replication = redis.call('INFO', 'replication')\nlocal id = string.match(replication, 'master_replid:(%x+)')\nlocal earlier = string.match(replication, 'master_replid2:(%x+)')\nif id and earlier and string.find(earlier, '[^0]') then\n  local seen, sinceMs = string.match(redis.call('GET', promoted) or '', '^(%x+) (%d+)$')\n  if seen ~= id or tonumber(sinceMs) > nowMs then sinceMs = nowMs end\n  redis.call('SET', promoted, id .. ' ' .. string.format('%.0f', sinceMs))\n  if promotedMs > 0 then redis.call('PEXPIRE', promoted, promotedMs) end\n  upMs = math.min(upMs, nowMs - sinceMs)\nend\nreturn { 'raised', upMs }\n",
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
    '034e404e90b63ca0ade993c6530686fdd300b9ef',
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
  "#!lua flags=allow-oom\n-- Gives back the lock, if this owner has it, and tells those who wait, if they wait for messages.\n-- With tombstoneMs it also leaves a mark that refuses copies of the owner's acquisition that are still on their way.\n-- mirrors: RedisLockRegistry, both ways of giving back a lock\n-- KEYS: lock, mark\n-- ARGV: owner: string, tombstoneMs: integer, channel: string, oldChannel: string\n-- returns: released receivers | not-held\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal tombstoneMs, channel, oldChannel = tonumber(ARGV[2]), ARGV[3], ARGV[4]\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif redis.call('GET', lock) ~= ARGV[1] then return { 'not-held' } end\nredis.call('UNLINK', lock)\nif channel == '' then return { 'released', 0 } end\n\nlocal receivers = redis.pcall('PUBLISH', channel, lock)\nif type(receivers) ~= 'number' then receivers = -1 end\n\nlocal older = redis.pcall('PUBLISH', oldChannel, lock)\nreturn { 'released', type(older) == 'number' and math.max(receivers, older) or receivers }\n",
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
    '086167006dff7084100539b5b2d7ef1dd39b424d',
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
  "#!lua flags=allow-oom\n-- Renews many holds of Spring locks. Never shortens one. A hold whose key is now of another kind is gone.\n-- mirrors: RedisLockRegistry.renewLock\n-- KEYS: locks*\n-- ARGV: owners*: string, leasesMs*: integer\n-- returns: remainingMs for each, -2 if gone\nlocal remaining = {}\nfor at, lock in ipairs(KEYS) do\n  local leaseMs = tonumber(ARGV[#KEYS + at])\n  if redis.pcall('GET', lock) == ARGV[at] then\n    local ttlMs = redis.call('PTTL', lock)\n    if ttlMs >= 0 and ttlMs < leaseMs then\n      redis.call('PEXPIRE', lock, leaseMs)\n      ttlMs = leaseMs\n    end\n    remaining[at] = ttlMs < 0 and leaseMs or ttlMs\n  else\n    remaining[at] = -2\n  end\nend\nreturn remaining\n",
  (
    keys: { readonly locks: readonly string[] },
    args: { readonly owners: readonly string[]; readonly leasesMs: readonly number[] },
  ) => [
    'EVALSHA',
    '7d5e81d8ef0bb82f59bd776cbf48a6b5f97dba54',
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
  "#!lua\n-- Takes the write side: when nobody reads or writes. An owner that only reads is refused, for it would wait for itself.\n-- A reader of ours counts for as long as it was promised, also if Java's watchdog has cut the hash it stood in: it does\n-- not know of that before its next renewal.\n-- mirrors: RReadWriteLock.writeLock().tryLock\n-- KEYS: lock, token, mark\n-- ARGV: owner: string, leaseMs: integer, notAfterMs: integer, retentionMs: integer\n-- returns: granted nowMs remainingMs fence | busy nowMs ttlMs | upgrade nowMs | late nowMs | withdrawn nowMs\nlocal lock, token, mark = KEYS[1], KEYS[2], KEYS[3]\nlocal owner, leaseMs, retentionMs = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])\nlocal time = redis.call('TIME')\nlocal nowMs = time[1] * 1000 + math.floor(time[2] / 1000)\nif nowMs > tonumber(ARGV[3]) then return { 'late', nowMs } end\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\n\nlocal function nextFence()\n  local last = redis.call('GET', token)\n  local fence = math.max(tonumber(last or 0) + 1, time[1] * 1000000 + time[2])\n  local keptMs = retentionMs + leaseMs + math.max(0, math.ceil(fence / 1000) - nowMs)\n  if retentionMs == 0 then\n    redis.call('SET', token, string.format('%.0f', fence))\n  elseif last then\n\n    redis.call('SET', token, string.format('%.0f', fence), 'KEEPTTL')\n    redis.call('PEXPIRE', token, keptMs, 'GT')\n  else\n    redis.call('SET', token, string.format('%.0f', fence), 'PX', keptMs)\n  end\n  return fence\nend\n\nlocal mode = redis.call('HGET', lock, 'mode')\nif not mode and redis.call('EXISTS', lock) == 1 then\n  return redis.error_reply('HOLDFASTFOREIGN another kind of lock is kept under this name')\nend\nif mode == 'write' and redis.call('HEXISTS', lock, owner .. ':write') == 1 then\n  return { 'granted', nowMs, redis.call('PTTL', lock), tonumber(redis.call('GET', token) or 0) }\nend\nif redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end\nlocal soonest, alive = 0, false\nif mode == 'read' then\n  local reads = redis.call('HEXISTS', lock, owner) == 1\n  if reads and redis.call('PTTL', base .. ':' .. owner .. ':rwlock_timeout:1') > 0 then return { 'upgrade', nowMs } end\n\n  local fields = redis.call('HGETALL', lock)\n  soonest = redis.call('PTTL', lock)\n  for at = 1, #fields, 2 do\n    for count = 1, tonumber(fields[at + 1]) or 0 do\n      local ttlMs = redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count)\n      if ttlMs > 0 then\n        alive = true\n        soonest = math.min(soonest, ttlMs)\n      end\n    end\n  end\nelseif mode then\n  return { 'busy', nowMs, redis.call('PTTL', lock) }\nend\nlocal promised = 'holdfast_read_until:' .. base\nlocal reads = redis.call('HGETALL', promised)\nfor at = 1, #reads, 2 do\n  local leftMs = tonumber(reads[at + 1]) - nowMs\n  if leftMs > 0 then\n    soonest = alive and math.min(soonest, leftMs) or leftMs\n    alive = true\n  else\n    redis.call('HDEL', promised, reads[at])\n  end\nend\nif alive then return { 'busy', nowMs, soonest } end\n\nif mode then redis.call('DEL', lock) end\n\n\nlocal fence = nextFence()\nredis.call('HSET', lock, 'mode', 'write', owner .. ':write', 1)\nredis.call('PEXPIRE', lock, leaseMs)\nreturn { 'granted', nowMs, leaseMs, fence }\n",
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
    '0a6cd31765a93bbd3854f48a87415d6c7e7a348d',
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
  "#!lua flags=allow-oom\n-- Gives back the write side and tells all who wait, also when the owner goes on reading.\n-- mirrors: RReadWriteLock.writeLock().unlock\n-- KEYS: lock, mark\n-- ARGV: owner: string, tombstoneMs: integer, publish: string, channel: string\n-- returns: released receivers, -1 if it may not tell them | not-held\nlocal lock, mark = KEYS[1], KEYS[2]\nlocal owner, tombstoneMs, publish, channel = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]\nlocal base = string.find(lock, '{', 1, true) and lock or '{' .. lock .. '}'\nlocal mode = redis.call('HGET', lock, 'mode')\nif tombstoneMs > 0 then redis.call('SET', mark, 'out', 'PX', tombstoneMs) end\nif not mode then\n  if redis.call('EXISTS', lock) == 0 then redis.pcall(publish, channel, '1') end\n  return { 'not-held' }\nend\nif mode ~= 'write' or redis.call('HDEL', lock, owner .. ':write') == 0 then return { 'not-held' } end\n\nlocal longest, fields = 0, redis.call('HGETALL', lock)\nfor at = 1, #fields, 2 do\n  for count = 1, tonumber(fields[at + 1]) or 0 do\n    longest = math.max(longest, redis.call('PTTL', base .. ':' .. fields[at] .. ':rwlock_timeout:' .. count))\n  end\nend\nif longest > 0 then\n  redis.call('HSET', lock, 'mode', 'read')\n  redis.call('PEXPIRE', lock, longest)\nelse\n  redis.call('DEL', lock)\nend\nlocal receivers = redis.pcall(publish, channel, '1')\nreturn { 'released', type(receivers) == 'number' and receivers or -1 }\n",
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
    '4e4ef8db216814a0360197d827f52d3d693e229d',
    '2',
    keys.lock,
    keys.mark,
    args.owner,
    String(args.tombstoneMs),
    args.publish,
    args.channel,
  ],
);
