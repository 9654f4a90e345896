import { setTimeout as sleep } from 'node:timers/promises';
import { handsOf } from '../../hands.ts';
import type { Library } from '../../library.ts';
import { sumOf } from '../../shares.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { holdfastFairPg, holdfastPg } from '../libraries/holdfast.ts';
import { verrouPg } from '../libraries/verrou.ts';
import { StatementCounts } from '../statement-counts.ts';

const PROCESSES = 4;
const WAITERS = 200;
/** Until everybody has asked and listens: what it costs to begin to wait is not what waiting costs. */
const BEGINNING_MS = 3000;
const ours = holdfastPg;

function contestant({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const holder = await open(port, folder);
      await holder.acquire('idle');
      const hands = handsOf(PROCESSES, 'waiters', name, port);
      await Promise.all(hands.map((hand) => hand.call('ask', 'idle', WAITERS / PROCESSES)));
      await sleep(BEGINNING_MS);
      const cpuUs = async () => sumOf(await Promise.all(hands.map((hand) => hand.call('cpuUs'))));
      const counts = await StatementCounts.at(port);
      return {
        round: async (roundMs) => {
          const cpuBefore = await cpuUs();
          const before = await counts.now();
          await sleep(roundMs);
          return {
            'statements/s': ((await counts.now()) - before) / (roundMs / 1000),
            'CPU % of a core': ((await cpuUs()) - cpuBefore) / (roundMs * 10),
          };
        },
        close: async () => {
          await counts.close();
          for (const hand of hands) hand.letGo();
        },
      };
    },
  };
}

export const idleWaiters: Trial = {
  name: `${WAITERS} waiters on a held lock`,
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
      `${WAITERS} waiters in ${PROCESSES} processes wait for a lock that is not given back: what waiting costs the server ` +
      'and the clients while nothing happens. In a fair lock each waiter also renews its own place.',
    figure: 'statements/s',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because what happens every few seconds takes most of a minute to be counted',
  openMs: BEGINNING_MS + 1000,
  // Anew for each: who holds it for a peer does not renew, and after half a minute the waiters would come in.
  alone: 'each round',
};
