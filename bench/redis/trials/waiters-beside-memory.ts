import type { Library } from '../../library.ts';
import { asyncMutex } from '../../memory/libraries/async-mutex.ts';
import { inProcess } from '../../paces.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfast } from '../libraries/holdfast.ts';

const WAITERS = 8;
const SECTIONS_AT_ONCE = 500;
const ours = holdfast('ioredis 5');

/** By the library's own loop and no clock in it: to look at a clock takes as long as async-mutex takes for all it does. */
function contestant({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          let sections = 0;
          while (performance.now() - start < roundMs) {
            const loops = Array.from({ length: WAITERS }, () => locker.loop('one', SECTIONS_AT_ONCE));
            await Promise.all(loops);
            sections += WAITERS * SECTIONS_AT_ONCE;
          }
          return { 'sections/s': (sections / (performance.now() - start)) * 1000 };
        },
        close: () => locker.close(),
      };
    },
  };
}

/** What it costs that other processes share the lock. */
export const waitersBesideMemory: Trial = {
  name: `${WAITERS} waiters in one process, beside a lock in memory`,
  engine: 'redis',
  contestants: [ours, asyncMutex].map(contestant),
  columns: [{ figure: 'sections/s', digits: 0 }],
  promises: [
    {
      text: `sections/s, ${ours.name} to ${asyncMutex.name} in memory`,
      of: [ours.name, asyncMutex.name],
      value: (figureOf) => figureOf(ours.name, 'sections/s') / figureOf(asyncMutex.name, 'sections/s'),
      bound: { atLeast: 0.25 },
      over: 'median',
    },
  ],
  pace: inProcess,
  story: {
    about:
      `${WAITERS} callers of one process want one lock again and again: ours on Redis, which other processes could have too, ` +
      'beside one that lives in this process alone. What is between them is the price of sharing.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
    floors: [asyncMutex.name],
  },
};
