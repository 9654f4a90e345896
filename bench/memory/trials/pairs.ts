import type { Library, Locker } from '../../library.ts';
import { inProcess } from '../../paces.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { asyncMutex, asyncSemaphore } from '../libraries/async-mutex.ts';
import { holdfastMemory } from '../libraries/holdfast.ts';
import { verrouMemory } from '../libraries/verrou.ts';

const ours = holdfastMemory;
const WAITERS = 64;
const PAIRS_OF_EACH = 100;

/** Acquires and releases one lock this many times, and returns the number. */
type Perform = (locker: Locker) => Promise<number>;

const oneAfterAnother: Perform = async (locker) => {
  await locker.loop('pair', 1000);
  return 1000;
};

const allAtOnce: Perform = async (locker) => {
  await Promise.all(Array.from({ length: WAITERS }, () => locker.loop('pair', PAIRS_OF_EACH)));
  return WAITERS * PAIRS_OF_EACH;
};

function contestant(perform: Perform): (library: Library) => TrialContestant {
  return ({ name, open }) => ({
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          let pairs = 0;
          while (performance.now() - start < roundMs) pairs += await perform(locker);
          return { 'pairs/s': (pairs / (performance.now() - start)) * 1000 };
        },
        close: () => locker.close(),
      };
    },
  });
}

function promiseTo(other: Library, atLeast: number): Promised {
  return {
    text: `pairs/s, ${ours.name} to ${other.name}`,
    of: [ours.name, other.name],
    value: (figureOf) => figureOf(ours.name, 'pairs/s') / figureOf(other.name, 'pairs/s'),
    bound: { atLeast },
    over: 'median',
  };
}

function trial(name: string, about: string, perform: Perform, others: readonly Library[] = []): Trial {
  return {
    name,
    engine: 'memory',
    contestants: [asyncMutex, asyncSemaphore, ours, ...others].map(contestant(perform)),
    columns: [{ figure: 'pairs/s', digits: 0 }],
    promises: [promiseTo(asyncMutex, 1), promiseTo(asyncSemaphore, 0.25)],
    pace: inProcess,
    story: { about, figure: 'pairs/s', better: 'more', ours: ours.name },
  };
}

export const uncontendedPair = trial(
  'uncontended pair',
  'A lock inside one process that no other caller wants is taken and given back, again and again: what a lock costs a ' +
    'program that never has to wait for it. The semaphore of async-mutex hands back a function and keeps no lease, no ' +
    'fence and no name.',
  oneAfterAnother,
  [verrouMemory],
);
export const manyWaiters = trial(
  `${WAITERS} waiters`,
  `${WAITERS} callers of one process want one lock, and want it again as soon as they have given it back: what it costs ` +
    'to pass a lock on when a caller always waits.',
  allAtOnce,
);
