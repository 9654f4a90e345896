/**
 * Everything that was seen of Redisson 4.7 on a Redis 7.0, one row for each step: what its own scripts answer, leave in
 * the store and publish. A, B, C and D are the ids of Java threads. Each row is kept by a test of the same name here;
 * where Holdfast does something else on purpose, `changed-on-purpose.ts` says what and why.
 */
export const ROWS = {
  'lock-entered-twice':
    'A takes a lock for 30 s, and again: the hash has A with the count 2 and 30 s to live',
  'lock-refused': 'B tries: it learns how long A has left',
  'lock-released-by-a-stranger': 'B unlocks: refused, nothing changes and no client is notified',
  'lock-released-once': 'A unlocks: the count is 1, a latch key remembers the request, no client is notified',
  'lock-release-repeated': 'the same request to unlock again: the remembered answer, nothing changes',
  'lock-released-fully': 'A unlocks again: the hash is gone, and 0 goes to the channel of the lock',
  'lock-released-too-often': 'A unlocks once more: refused',
  'fenced-lock':
    'A takes a fenced lock twice: tokens 1 and 2, in a key without end; B is refused without a token',
  'fair-lock-line':
    'A holds for 30 s, B waits 300 s and C 5 s: a list of both, and deadlines that form a chain',
  'fair-lock-single-try': 'D tries once: refused, and the line is as it was',
  'fair-lock-released': 'A unlocks: 0 goes to the channel of B, the first in line, and to no other client',
  'fair-lock-asked-out-of-turn': 'C asks before B does: told to ask again in 0 ms',
  'fair-lock-released-by-a-stranger': 'D unlocks the free lock: that succeeds, and B is notified once more',
  'fair-lock-entered-by-the-first': 'B enters: C alone is in line, its deadline less the 300 s of B',
  'read-lock-shared':
    'A reads for 30 s and for 60 s, B for 5 s: a key for each hold with its time, the hash lives for the longest',
  'read-lock-upgrade': 'A, who reads, asks for the write side: refused for the time of the hash',
  'read-lock-released': 'all leave: the hash falls to the longest hold that is left, the last tells 0',
  'write-lock-with-read': 'A writes twice and reads: times add up, B cannot read',
  'write-lock-downgraded':
    'A releases both writes and goes on reading: the mode is read, and no message is published',
  'read-lock-last-one-out': 'A stops reading: 0 is published',
  'read-write-lock-released-when-free':
    'an unlock of a free lock is refused, and tells 1 if of the write side, else 0',
  'semaphore-released-without-any':
    'a release of a semaphore that is not there makes it, with 1, and tells 1',
  'semaphore-numbers':
    'set 5, take 3, add -10, add 12, drain: the number each time, told when set or added, also below zero',
  'semaphore-with-a-time': 'add and drain take the time off a number that was set with one',
  'permits-taken':
    'two permits of 16 bytes each, one without an end; a third learns when the first ends, deadlines are the scores',
  'permits-released':
    'each release tells the new number; one that had ended is given back and reported as not held',
  'permits-released-together':
    'one unknown among several: nothing happens; all known: their number is published',
  'permits-set-and-added': 'the number in all is changed and told; added ones only if they are more',
  'latch-counts':
    'set 2 tells 1, set 3 is refused, the second count removes it and tells 0, a third does nothing',
  'latch-deleted': 'a delete tells 1, which closes the gate',
  'renewal-of-three': 'of three locks, the one that is held by its owner is renewed and no other',
  'forced-lock': 'a free lock: nothing; a held one: gone, and 0 is published',
  'forced-fair-lock': 'B, who waits, is notified and stays in line; again: nothing',
  'forced-read-lock':
    'while it is read only the read side can be forced, which tells 0; the key of the hold stays',
  'forced-write-lock':
    'while it is written only the write side can be forced, also when it is read too; it tells 1',
  'read-lock-is-locked': 'free: no; read: yes; written: no; written and read: yes',
  'spin-lock': 'the hash of a lock, and never a message',
  'permits-asked-about': 'how many there are, how many are taken, how long each is good for',
  'permits-available':
    'a permit that had ended comes back when a client asks how many are left, and is published',
  'lock-entered-once-only': 'a lock that cannot be entered twice refuses its own owner by an error',
  'read-lock-renewed-beside-a-longer-one':
    'a renewal of 30 s cuts the hash from the 600 s of another reader to 30 s',
  'sharded-messages':
    'in a cluster, messages of shards and other messages reach those only who listen for that kind',
} as const satisfies Readonly<Record<string, string>>;

export type RowId = keyof typeof ROWS;
