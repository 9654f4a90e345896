import { percentile } from '../../statistics.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { bare } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { fastPeers, peers } from '../libraries/index.ts';
import type { Library } from '../../library.ts';
import { WAITERS, waitersInProcess } from '../../waiters-in-process.ts';
import { ofWaiters } from '../../paces.ts';

const floor = bare('ioredis 5');
const ours = holdfast('ioredis 5');
const others = [...peers, ...fastPeers];

/** What one round trip takes: half of a pair, because its two scripts cost about the same. */
function roundTrips({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const tripsUs: number[] = [];
          while (performance.now() - start < roundMs) {
            const before = performance.now();
            const release = await locker.acquire('trip');
            tripsUs.push((performance.now() - before) * 1000);
            await release();
          }
          return { 'EVALSHA p50 µs': percentile(tripsUs, 0.5) };
        },
        close: () => locker.close(),
      };
    },
  };
}

export const waitersOfOneProcess: Trial = {
  name: `${WAITERS} waiters in one process`,
  engine: 'redis',
  contestants: [roundTrips(floor), ...[ours, ...others].map(waitersInProcess)],
  columns: [
    { figure: 'sections/s', digits: 0 },
    { figure: 'hand-over p50 µs', digits: 1 },
    { figure: 'EVALSHA p50 µs', digits: 1 },
    { figure: 'CV of the waiters', digits: 2 },
  ],
  promises: [
    {
      text: `sections/s, ${ours.name} to the fastest of the others`,
      of: [ours.name, ...others.map(({ name }) => name)],
      value: (figureOf) =>
        figureOf(ours.name, 'sections/s') /
        Math.max(...others.map(({ name }) => figureOf(name, 'sections/s'))),
      bound: { atLeast: 10 },
      over: 'median',
    },
    {
      text: 'hand-over inside the process p50 to an EVALSHA round trip',
      of: [ours.name, floor.name],
      value: (figureOf) => figureOf(ours.name, 'hand-over p50 µs') / figureOf(floor.name, 'EVALSHA p50 µs'),
      bound: { atMost: 0.1 },
      over: 'median',
    },
  ],
  pace: ofWaiters,
  story: {
    about:
      `${WAITERS} callers of one process want the same lock again as soon as they have given it back. Who hands it over ` +
      'inside the process needs no round trip; who polls sleeps while the lock is free.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
    floors: [floor.name],
  },
};
