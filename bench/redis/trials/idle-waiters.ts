import { setTimeout as sleep } from 'node:timers/promises';
import { aheadOf } from '../../ahead.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { ServerCounts } from '../server-counts.ts';
import { totalOf } from '../server-info.ts';
import { handsOf } from '../../hands.ts';
import { holdfast, holdfastFair } from '../libraries/holdfast.ts';
import { peers } from '../libraries/index.ts';
import type { Library } from '../../library.ts';
import { sumOf } from '../../shares.ts';

const PROCESSES = 4;
const WAITERS = 200;
/** Until everybody has asked and subscribed: what it costs to begin to wait is not what waiting costs. */
const BEGINNING_MS = 2000;
const ours = holdfast('ioredis 5');
const peerNames = peers.map(({ name }) => name);

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
      const counts = await ServerCounts.at(port);
      return {
        round: async (roundMs) => {
          const cpuBefore = await cpuUs();
          const { spent } = await counts.during(() => sleep(roundMs));
          const { calls } = spent;
          const seconds = roundMs / 1000;
          return {
            'calls/s, in scripts too': totalOf(calls) / seconds,
            'EVALSHA/s': (calls.get('evalsha') ?? 0) / seconds,
            'client CPU % of a core': ((await cpuUs()) - cpuBefore) / (roundMs * 10),
          };
        },
        close: async () => {
          counts.close();
          for (const hand of hands) hand.letGo();
        },
      };
    },
  };
}

export const idleWaiters: Trial = {
  name: `${WAITERS} waiters on a held lock`,
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
      `${WAITERS} waiters in ${PROCESSES} processes wait for a lock that is not given back: what waiting costs the server ` +
      'and the clients while nothing happens.',
    figure: 'calls/s, in scripts too',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because what happens every few seconds takes most of a minute to be counted',
  openMs: BEGINNING_MS + 1000,
  // Anew for each: who holds it for a peer does not renew, and after half a minute the waiters would come in.
  alone: 'each round',
};
