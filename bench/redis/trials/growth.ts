import { crowdGrowth, growingCrowd, type Onlooker } from '../../growing-crowd.ts';
import { growingNumberOfLocks, locksGrowth } from '../../growing-number-of-locks.ts';
import { curvesOf, growthColumns } from '../../growth.ts';
import { ofGrowth } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { bare } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import { ServerCounts } from '../server-counts.ts';

const floor = bare('ioredis 5');
const ours = holdfast('ioredis 5');
/** More waiters than this that poll every 10 ms leave the server no time for anything else. */
const MOST_WHO_POLL = 100;

const growth = {
  ...crowdGrowth,
  columns: [...crowdGrowth.columns, { figure: 'EVALSHA a section', digits: 2 }],
};

async function scriptsAt(port: number): Promise<Onlooker> {
  const server = await ServerCounts.at(port);
  return {
    around: async (work) => {
      const { result, spent } = await server.during(work);
      return { 'EVALSHA a section': (spent.calls.get('evalsha') ?? 0) / result };
    },
    close: () => server.close(),
  };
}

export const growthOfWaiters: Trial = {
  name: '1 to 1000 waiters in one process',
  engine: 'redis',
  contestants: [
    growingCrowd(ours, undefined, scriptsAt),
    growingCrowd(redisSemaphore, MOST_WHO_POLL, scriptsAt),
  ],
  columns: growthColumns(growth),
  curves: curvesOf(growth),
  promises: [],
  pace: ofGrowth,
  story: {
    about:
      'From one caller to a thousand of one process who want the same lock: what a section costs must not grow with those ' +
      'who wait for it.',
    figure: 'sections/s at 100',
    better: 'more',
    ours: ours.name,
  },
};

export const growthOfLocks: Trial = {
  name: '1 to 10000 locks in turn',
  engine: 'redis',
  contestants: [floor, ours, redisSemaphore].map(growingNumberOfLocks),
  quickly: [floor.name, ours.name],
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
    ours: ours.name,
    floors: [floor.name],
  },
};
