/** A fault in one of the engine's scripts that the model must notice. */
export interface PlantedFault {
  readonly kind: 'lock' | 'fairLock' | 'readWriteLock' | 'semaphore' | 'permitSemaphore' | 'latch';
  readonly what: string;
  readonly script: string;
  /** Occurs exactly once in the script. */
  readonly find: string;
  readonly replace: string;
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  {
    kind: 'lock',
    what: 'a release is not only for whoever has it',
    script: 'lock-release',
    find: "if redis.call('HEXISTS', lock, ARGV[1]) == 0 then",
    replace: "if redis.call('EXISTS', lock) == 0 then",
  },
  {
    kind: 'lock',
    what: 'a renewal shortens',
    script: 'lock-renew',
    find: 'if ttlMs >= 0 and ttlMs < leaseMs then',
    replace: 'if ttlMs >= 0 then',
  },
  {
    kind: 'lock',
    what: 'an acquisition is counted for each copy',
    script: 'lock-acquire',
    find: "return { 'granted', nowMs, ttlMs, last - fences + 1 }",
    replace: "redis.call('HINCRBY', lock, owner, 1) return { 'granted', nowMs, ttlMs, last - fences + 1 }",
  },
  {
    kind: 'lock',
    what: 'a copy of somebody who has left is let in',
    script: 'lock-acquire',
    find: "if redis.call('EXISTS', mark) == 1 then return { 'withdrawn', nowMs } end",
    replace: '',
  },
  {
    kind: 'lock',
    what: 'an acquisition is carried out however late',
    script: 'lock-acquire',
    find: "if nowMs > tonumber(ARGV[4]) then return { 'late', nowMs } end",
    replace: '',
  },
  {
    kind: 'lock',
    what: 'the last fence that Java keeps for ever is given an end',
    script: 'lock-acquire',
    find: "redis.call('PEXPIRE', token, keptMs, 'GT')",
    replace: "redis.call('PEXPIRE', token, keptMs)",
  },
  {
    kind: 'lock',
    what: 'each copy of a forced release takes the lock away',
    script: 'lock-force',
    find: 'if marked then',
    replace: 'if false then',
  },
  {
    kind: 'lock',
    what: 'a forced release takes away another grant than the one that was meant',
    script: 'lock-force',
    find: "if ARGV[1] ~= '' and ARGV[1] ~= last then",
    replace: 'if false then',
  },
  {
    kind: 'fairLock',
    what: 'the dead are never taken out of the line',
    script: 'fair-lock-acquire',
    find: 'return tonumber(deadline) + patience <= nowMs and head or nil',
    replace: 'return nil',
  },
  {
    kind: 'fairLock',
    what: 'who leaves takes nothing off those behind',
    script: 'fair-lock-acquire',
    find: 'add(-contributed, place)',
    replace: '',
  },
  {
    kind: 'fairLock',
    what: 'a free lock is taken past the line',
    script: 'fair-lock-acquire',
    find: 'if ttlMs == -2 and (not head or head == owner) then',
    replace: 'if ttlMs == -2 then',
  },
  {
    kind: 'fairLock',
    what: 'a place is not kept for who asks again',
    script: 'fair-lock-acquire',
    find: 'if own < nowMs + waitMs / 2 then',
    replace: 'if false then',
  },
  {
    kind: 'fairLock',
    what: 'a release tells nobody',
    script: 'fair-lock-release',
    find: "if head and redis.call('EXISTS', lock) == 0 then",
    replace: 'if false then',
  },
  {
    kind: 'readWriteLock',
    what: 'a writer comes in beside readers',
    script: 'write-lock-acquire',
    find: "if alive then return { 'busy', nowMs, soonest } end",
    replace: '',
  },
  {
    kind: 'readWriteLock',
    what: 'the time of a write is cut by a read under it',
    script: 'read-lock-release',
    find: "if mode == 'write' then return { answer, 0 } end",
    replace: '',
  },
  {
    kind: 'readWriteLock',
    what: 'the hash ends before a reader does',
    script: 'read-lock-acquire',
    find: "if mode then redis.call('PEXPIRE', lock, leaseMs, 'GT') else",
    replace: "if mode then redis.call('PEXPIRE', lock, leaseMs) else",
  },
  {
    kind: 'readWriteLock',
    what: 'a writer that goes on reading tells nobody',
    script: 'write-lock-release',
    find: "redis.call('PEXPIRE', lock, longest)",
    replace: "redis.call('PEXPIRE', lock, longest) do return { 'released', 0 } end",
  },
  {
    kind: 'semaphore',
    what: 'permits are given back for each copy',
    script: 'semaphore-release',
    find: "if marked == 'released' then return { 'released', nowMs, 0 } end",
    replace: '',
  },
  {
    kind: 'semaphore',
    what: 'permits are taken for each copy',
    script: 'semaphore-acquire',
    find: "if marked then return { 'granted', nowMs, tonumber(marked) } end",
    replace: '',
  },
  {
    kind: 'semaphore',
    what: 'permits are given back that were never taken',
    script: 'semaphore-release',
    find: "if not marked and ARGV[2] == '0' or marked == 'out' then",
    replace: 'if false then',
  },
  {
    kind: 'permitSemaphore',
    what: 'permits whose time is over do not come back',
    script: 'permit-semaphore-acquire',
    find: "free = redis.call('INCRBY', counter, #ended)",
    replace: "free = tonumber(redis.call('GET', counter))",
  },
  {
    kind: 'permitSemaphore',
    what: 'a renewal brings back a permit whose time is over',
    script: 'permit-semaphore-renew',
    find: 'if ends > nowMs then',
    replace: 'if ends > 0 then',
  },
  {
    kind: 'permitSemaphore',
    what: 'one of several permits is forgotten',
    script: 'permit-semaphore-release',
    find: "while redis.call('ZREM', deadlines, member(removed)) == 1 do removed = removed + 1 end",
    replace: "removed = redis.call('ZREM', deadlines, member(0))",
  },
  {
    kind: 'latch',
    what: 'each copy counts down',
    script: 'latch-count-down',
    find: "if marked then return { 'counted', nowMs, tonumber(marked) } end",
    replace: '',
  },
  {
    kind: 'latch',
    what: 'a reset that opens tells nobody',
    script: 'latch-reset',
    find: "redis.call(ARGV[4], ARGV[5], '0')",
    replace: '',
  },
];
