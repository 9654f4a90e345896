import { setTimeout as sleep } from 'node:timers/promises';
import { IDLE_WAITERS, openIdleWaiters, WAITING_PROCESSES } from '../../idle-waiters.ts';
import type { Library } from '../../library.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfastFairPg, holdfastPg } from '../libraries/holdfast.ts';
import { verrouPg } from '../libraries/verrou.ts';
import { StatementCounts } from '../statement-counts.ts';

/** Until every waiter has asked and listens. */
const SETTLES_MS = 3000;
const ours = holdfastPg;

function contestant(library: Library): TrialContestant {
  return {
    name: library.name,
    open: async (port, folder) => {
      const waiters = await openIdleWaiters(library, port, folder, SETTLES_MS);
      const counts = await StatementCounts.at(port);
      return {
        round: async (roundMs) => {
          const cpuBefore = await waiters.cpuUs();
          const before = await counts.now();
          await sleep(roundMs);
          return {
            'statements/s': ((await counts.now()) - before) / (roundMs / 1000),
            'CPU % of a core': ((await waiters.cpuUs()) - cpuBefore) / (roundMs * 10),
          };
        },
        close: async () => {
          await counts.close();
          waiters.letGo();
        },
      };
    },
  };
}

export const idleWaiters: Trial = {
  name: `${IDLE_WAITERS} waiters on a held lock`,
  engine: 'postgres',
  contestants: [ours, holdfastFairPg, verrouPg].map(contestant),
  columns: [
    { figure: 'statements/s', digits: 1 },
    { figure: 'CPU % of a core', digits: 1 },
  ],
  promises: [
    {
      text: `statements/s at the server, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'statements/s'),
      // Each of the four processes looks at the rows every two and a half to seven and a half seconds, and the holder renews.
      bound: { atMost: 2 },
      over: 'worst',
    },
  ],
  pace: {
    full: { rounds: 5, warmUpRounds: 0, roundMs: 8000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 10_000 },
  },
  story: {
    about:
      `${IDLE_WAITERS} waiters in ${WAITING_PROCESSES} processes wait for a lock that is not given back: what waiting costs the server ` +
      'and the clients while nothing happens. In a fair lock each waiter also renews its own place.',
    figure: 'statements/s',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because what happens every few seconds takes most of a minute to be counted',
  openMs: SETTLES_MS + 1000,
  // Opened anew for each contestant: the holder of a peer does not renew, and after 30 s its waiters would acquire.
  alone: 'each round',
};
