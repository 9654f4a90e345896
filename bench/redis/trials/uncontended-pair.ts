import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { aheadOf } from '../../ahead.ts';
import { costColumns, costOf } from '../cost.ts';
import { ServerCounts } from '../server-counts.ts';
import { type ClientName, clientNames, clientOfEachKind } from '../connections.ts';
import { bare, leastShared } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { peers } from '../libraries/index.ts';
import type { Library } from '../../library.ts';
import { ofPairs } from '../../paces.ts';

const PAIRS_AT_ONCE = 50;
const peerNames = peers.map(({ name }) => name);

function contestant({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      const counts = await ServerCounts.at(port);
      return {
        round: async (roundMs) => {
          const { result, spent } = await counts.during(async () => {
            const start = performance.now();
            let pairs = 0;
            while (performance.now() - start < roundMs) {
              await locker.loop('pair', PAIRS_AT_ONCE);
              pairs += PAIRS_AT_ONCE;
            }
            return { pairs, elapsedMs: performance.now() - start };
          });
          const { pairs, elapsedMs } = result;
          return {
            'pairs/s': (pairs / elapsedMs) * 1000,
            'µs a pair': (elapsedMs / pairs) * 1000,
            ...costOf(spent, pairs, 'pair'),
          };
        },
        close: async () => {
          counts.close();
          await locker.close();
        },
      };
    },
  };
}

function promisesOf(client: ClientName): Promised[] {
  const floor = bare(client).name;
  const ours = holdfast(client).name;
  return [
    {
      text: `time of a pair, ${ours} to ${floor}`,
      of: [ours, floor],
      value: (figureOf) => figureOf(ours, 'µs a pair') / figureOf(floor, 'µs a pair'),
      bound: { atMost: 1.15 },
      over: 'median',
    },
    {
      text: `EVALSHA a pair, ${ours}`,
      of: [ours],
      value: (figureOf) => figureOf(ours, 'EVALSHA a pair'),
      // The server's clock is asked for once in a while.
      bound: { atMost: 2.01 },
      over: 'median',
    },
  ];
}

export const uncontendedPair: Trial = {
  name: 'uncontended pair',
  engine: 'redis',
  contestants: [
    ...clientNames.flatMap((client) => [bare(client), holdfast(client)]),
    leastShared,
    ...peers,
  ].map(contestant),
  columns: [{ figure: 'pairs/s', digits: 0 }, { figure: 'µs a pair', digits: 0 }, ...costColumns('pair')],
  promises: [
    ...clientNames.flatMap(promisesOf),
    // On the client that all of them have. The other floor is no measure for this: it leaves out what makes a lock sound.
    aheadOf(holdfast('ioredis 5').name, peerNames, 'pairs/s', 'more', { floor: bare('ioredis 5').name }),
  ],
  quickly: [
    ...clientOfEachKind.flatMap((client) => [bare(client).name, holdfast(client).name]),
    leastShared.name,
    ...peerNames,
  ],
  pace: ofPairs,
  apart: true,
  story: {
    about:
      'A lock that no other caller wants is taken and given back, again and again: the price that every critical section ' +
      'pays. The floors are the same two scripts over the same client with nothing around them, and two scripts that take ' +
      'and give back what Redisson takes for a lock, and do no more: no fence, and no end for copies that come late. Server and ' +
      'clients have processors of their own, so that figures do not depend on where the system puts them.',
    figure: 'pairs/s',
    better: 'more',
    ours: holdfast('ioredis 5').name,
    floors: [...clientNames.map((client) => bare(client).name), leastShared.name],
  },
};
