import { crowdGrowth, growingCrowd } from '../../growing-crowd.ts';
import { growingNumberOfLocks, locksGrowth } from '../../growing-number-of-locks.ts';
import { curvesOf, growthColumns } from '../../growth.ts';
import { ofGrowth } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { asyncMutex } from '../libraries/async-mutex.ts';
import { holdfastMemory } from '../libraries/holdfast.ts';

const compared = [holdfastMemory, asyncMutex];

export const growthOfWaiters: Trial = {
  name: '1 to 1000 waiters in one process',
  engine: 'memory',
  contestants: compared.map((library) => growingCrowd(library)),
  columns: growthColumns(crowdGrowth),
  curves: curvesOf(crowdGrowth),
  promises: [],
  pace: ofGrowth,
  story: {
    about:
      'From one caller to a thousand of one process who want the same lock: what a section costs must not grow with those ' +
      'who wait for it.',
    figure: 'sections/s at 100',
    better: 'more',
    ours: holdfastMemory.name,
  },
};

export const growthOfLocks: Trial = {
  name: '1 to 10000 locks in turn',
  engine: 'memory',
  contestants: compared.map(growingNumberOfLocks),
  columns: growthColumns(locksGrowth),
  curves: curvesOf(locksGrowth),
  promises: [],
  pace: ofGrowth,
  story: {
    about:
      'From one lock to ten thousand, taken and given back in turn, a hundred of them at a time: what a pair costs must not ' +
      'grow with the number of locks.',
    figure: 'pairs/s at 100',
    better: 'more',
    ours: holdfastMemory.name,
  },
};
