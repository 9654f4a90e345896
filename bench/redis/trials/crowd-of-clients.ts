import { setTimeout as sleep } from 'node:timers/promises';
import type { Locker } from '../../library.ts';
import { sumOf } from '../../shares.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { ServerCounts } from '../server-counts.ts';
import { totalOf } from '../server-info.ts';

const CLIENTS = 2000;
/** So many connect at a time. */
const TOGETHER = 100;
/** Until all have waited once, and those that came first have been served. */
const SETTLES_MS = 15_000;
const ours = holdfast('ioredis 5');

const contestant: TrialContestant = {
  name: ours.name,
  open: async (port, folder) => {
    const lockers: Locker[] = [];
    while (lockers.length < CLIENTS) {
      const more = Array.from({ length: TOGETHER }, () => ours.open(port, folder));
      lockers.push(...(await Promise.all(more)));
    }
    const grants = lockers.map(() => 0);
    let working = true;
    const loops = lockers.map(async (locker, at) => {
      while (working) {
        const release = await locker.acquire('crowded');
        grants[at]! += 1;
        await release();
      }
    });
    const counts = await ServerCounts.at(port);
    await sleep(SETTLES_MS);
    return {
      round: async (roundMs) => {
        const before = [...grants];
        const { spent } = await counts.during(() => sleep(roundMs));
        const during = grants.map((count, at) => count - before[at]!);
        const all = Math.max(1, sumOf(during));
        return {
          'calls a grant, in scripts too': totalOf(spent.calls) / all,
          'grants/s': sumOf(during) / (roundMs / 1000),
          'least share of a client': (Math.min(...during) * CLIENTS) / all,
        };
      },
      close: async () => {
        working = false;
        await Promise.all(loops);
        counts.close();
        await Promise.all(lockers.map((locker) => locker.close()));
      },
    };
  },
};

/** What a crowd costs the server: of all that wait a release is to wake one. */
export const crowdOfClients: Trial = {
  name: `${CLIENTS} clients that wait for one lock`,
  engine: 'redis',
  contestants: [contestant],
  columns: [
    { figure: 'calls a grant, in scripts too', digits: 1 },
    { figure: 'grants/s', digits: 0 },
    { figure: 'least share of a client', digits: 2 },
  ],
  promises: [
    {
      text: `calls a grant, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'calls a grant, in scripts too'),
      bound: { atMost: 20 },
      over: 'median',
    },
    {
      text: `least share of a client, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'least share of a client'),
      bound: { atLeast: 0.2 },
      over: 'worst',
    },
  ],
  pace: {
    full: { rounds: 3, warmUpRounds: 0, roundMs: 20_000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 10_000 },
  },
  story: {
    about:
      `${CLIENTS} clients with a connection each ask for one lock again and again: what the server is asked for each grant. A release ` +
      'that woke all of them would cost thousands.',
    figure: 'calls a grant, in scripts too',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because 2000 clients take long to connect, and each has its turn every few seconds',
  openMs: SETTLES_MS + 20_000,
  alone: 'all rounds',
};
