import { setTimeout as sleep } from 'node:timers/promises';
import { aheadOf } from '../../ahead.ts';
import { contendedColumns, contendedFigures, Crowd } from '../../crowd.ts';
import type { Library } from '../../library.ts';
import { ofLonelyWaiters } from '../../paces.ts';
import { percentile } from '../../statistics.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { costColumns, costOf } from '../cost.ts';
import { bare } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { fastPeers, peers } from '../libraries/index.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import { verrou } from '../libraries/verrou.ts';
import { ServerCounts } from '../server-counts.ts';

const floor = bare('ioredis 5');
const ours = holdfast('ioredis 5');
const others = [...peers, ...fastPeers];
const otherNames = others.map(({ name }) => name);
/** Until all have met, and the compiler has seen them. */
const LEAD_IN_MS = 300;

/** The waiters are left as they are when the time is over: those that ask four times a second would need many seconds to leave. */
function crowdOf(waiters: number): (library: Library) => TrialContestant {
  return ({ name, open }) => ({
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      const counts = await ServerCounts.at(port);
      return {
        round: async (roundMs) => {
          const crowd = new Crowd(locker);
          const contending = crowd.contend('one', waiters, roundMs, LEAD_IN_MS);
          await sleep(LEAD_IN_MS);
          const { result, spent } = await counts.during(async () => {
            const before = crowd.sections;
            const contended = await contending;
            return { contended, sections: crowd.sections - before };
          });
          return { ...contendedFigures(result.contended), ...costOf(spent, result.sections, 'section') };
        },
        close: async () => undefined,
      };
    },
  });
}

/** What one round trip takes: half of a pair, because its two scripts cost about the same. */
function roundTrips({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const tripsUs: number[] = [];
          const start = performance.now() + LEAD_IN_MS;
          for (let before = performance.now(); before < start + roundMs; before = performance.now()) {
            const release = await locker.acquire('trip');
            if (before >= start) tripsUs.push((performance.now() - before) * 1000);
            await release();
          }
          return { 'EVALSHA p50 µs': percentile(tripsUs, 0.5) };
        },
        close: () => locker.close(),
      };
    },
  };
}

function trial(waiters: number, timesTheOthers: number, promises: readonly Promised[]): Trial {
  return {
    name: `${waiters} waiters in one process`,
    engine: 'redis',
    contestants: [roundTrips(floor), ...[ours, ...others].map(crowdOf(waiters))],
    columns: [...contendedColumns, { figure: 'EVALSHA p50 µs', digits: 1 }, ...costColumns('section')],
    promises: [
      aheadOf(ours.name, otherNames, 'sections/s', 'more', { atLeast: timesTheOthers }),
      aheadOf(ours.name, otherNames, 'hand-over p50 µs', 'less'),
      aheadOf(ours.name, otherNames, 'hand-over p99 µs', 'less'),
      ...promises,
    ],
    quickly: [floor.name, ours.name, redisSemaphore.name, verrou.name],
    pace: ofLonelyWaiters,
    story: {
      about:
        `${waiters} callers of one process want the same lock again as soon as they have given it back. Who hands it over ` +
        'inside the process needs no round trip; who polls sleeps while the lock is free.',
      figure: 'sections/s',
      better: 'more',
      ours: ours.name,
      floors: [floor.name],
    },
    alone: 'each round',
  };
}

export const eightWaiters = trial(8, 10, [
  {
    text: 'hand-over inside the process p50 to an EVALSHA round trip',
    of: [ours.name, floor.name],
    value: (figureOf) => figureOf(ours.name, 'hand-over p50 µs') / figureOf(floor.name, 'EVALSHA p50 µs'),
    bound: { atMost: 0.1 },
    over: 'median',
  },
]);

export const sixtyFourWaiters = trial(64, 1, []);
