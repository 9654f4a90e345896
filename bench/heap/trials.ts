import type { Story } from '../story.ts';
import type { Trial, TrialContestant } from '../trial.ts';
import { HELD, heldLocks } from './held.ts';
import { asyncMutexes } from './libraries/async-mutex.ts';
import { holdfastInMemory, holdfastOnRedis, holdfastOnSqlite } from './libraries/holdfast.ts';
import { redisSemaphores, redlocks } from './libraries/redis.ts';
import { atMostBytes } from './promise.ts';
import { HEAP_FIGURE, type Thrifty } from './thrifty.ts';
import { WAITING, waiting } from './waiting.ts';

/** A round lasts until this many locks were taken and released, whatever its length says: about this long. */
const pace = {
  full: { rounds: 5, warmUpRounds: 0, roundMs: 1000 },
  quick: { rounds: 1, warmUpRounds: 0, roundMs: 1000 },
};

function heldTrial(engine: string, ours: Thrifty, others: readonly Thrifty[]): Trial {
  return {
    ...trial(engine, ours, [ours, ...others].map(heldLocks)),
    name: `memory of ${HELD} held locks`,
    promises: [atMostBytes(ours.name, 'held lock', 1000)],
    story: storyOf(
      ours,
      `A process holds ${HELD.toLocaleString('en')} locks of different names, and keeps of each only what gives it back: what ` +
        'one more of them takes in its memory.',
    ),
  };
}

/** Compared with contestants whose waiters do not poll: ten thousand polling waiters would never come to rest. */
function waitingTrial(engine: string, ours: Thrifty, others: readonly Thrifty[]): Trial {
  return {
    ...trial(engine, ours, [ours, ...others].map(waiting)),
    name: `memory of ${WAITING} waiters`,
    promises: [atMostBytes(ours.name, 'waiter', 2000)],
    story: storyOf(
      ours,
      `${WAITING.toLocaleString('en')} callers of one process wait for one lock: what one more of them takes in its memory, ` +
        'the promise that it waits for included.',
    ),
  };
}

function trial(engine: string, ours: Thrifty, contestants: readonly TrialContestant[]) {
  const columns = [{ figure: HEAP_FIGURE, digits: 0 }];
  return { engine, contestants, quickly: [ours.name], columns, pace, alone: 'each round' } as const;
}

function storyOf(ours: Thrifty, about: string): Story {
  return { about, figure: HEAP_FIGURE, better: 'less', ours: ours.name };
}

/** What a process keeps in memory for each lock, and for each waiter. */
export const heapTrials: readonly Trial[] = [
  heldTrial('memory', holdfastInMemory, [asyncMutexes]),
  heldTrial('redis', holdfastOnRedis, [redisSemaphores, redlocks]),
  heldTrial('sqlite', holdfastOnSqlite, []),
  waitingTrial('memory', holdfastInMemory, [asyncMutexes]),
  waitingTrial('redis', holdfastOnRedis, []),
  waitingTrial('sqlite', holdfastOnSqlite, []),
];
