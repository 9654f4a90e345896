import { setTimeout as sleep } from 'node:timers/promises';
import { aheadOf } from '../../ahead.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { ServerCounts } from '../server-counts.ts';
import { totalOf } from '../server-info.ts';
import { holdfast, holdfastFair } from '../libraries/holdfast.ts';
import { peers } from '../libraries/index.ts';
import { IDLE_WAITERS, openIdleWaiters, WAITING_PROCESSES } from '../../idle-waiters.ts';
import type { Library } from '../../library.ts';

/** Until every waiter has asked and subscribed. */
const SETTLES_MS = 2000;
const ours = holdfast('ioredis 5');
const peerNames = peers.map(({ name }) => name);

function contestant(library: Library): TrialContestant {
  return {
    name: library.name,
    open: async (port, folder) => {
      const waiters = await openIdleWaiters(library, port, folder, SETTLES_MS);
      const counts = await ServerCounts.at(port);
      return {
        round: async (roundMs) => {
          const cpuBefore = await waiters.cpuUs();
          const { spent } = await counts.during(() => sleep(roundMs));
          const { calls } = spent;
          const seconds = roundMs / 1000;
          return {
            'calls/s, in scripts too': totalOf(calls) / seconds,
            'EVALSHA/s': (calls.get('evalsha') ?? 0) / seconds,
            'client CPU % of a core': ((await waiters.cpuUs()) - cpuBefore) / (roundMs * 10),
          };
        },
        close: async () => {
          counts.close();
          waiters.letGo();
        },
      };
    },
  };
}

export const idleWaiters: Trial = {
  name: `${IDLE_WAITERS} waiters on a held lock`,
  engine: 'redis',
  contestants: [ours, holdfastFair('ioredis 5'), ...peers].map(contestant),
  columns: [
    { figure: 'calls/s, in scripts too', digits: 1 },
    { figure: 'EVALSHA/s', digits: 1 },
    { figure: 'client CPU % of a core', digits: 1 },
  ],
  promises: [
    {
      text: `calls/s at the server, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'calls/s, in scripts too'),
      bound: { atMost: 5 },
      over: 'worst',
    },
    aheadOf(ours.name, peerNames, 'calls/s, in scripts too', 'less'),
    aheadOf(ours.name, peerNames, 'client CPU % of a core', 'less'),
  ],
  pace: {
    full: { rounds: 5, warmUpRounds: 0, roundMs: 10_000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 10_000 },
  },
  story: {
    about:
      `${IDLE_WAITERS} waiters in ${WAITING_PROCESSES} processes wait for a lock that is not given back: what waiting costs the server ` +
      'and the clients while nothing happens.',
    figure: 'calls/s, in scripts too',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because what happens every few seconds takes most of a minute to be counted',
  openMs: SETTLES_MS + 1000,
  // Opened anew for each contestant: the holder of a peer does not renew, and after 30 s its waiters would acquire.
  alone: 'each round',
};
