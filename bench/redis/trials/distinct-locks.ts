import { aheadOf } from '../../ahead.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { type ClientName, clientNames, clientOfEachKind } from '../connections.ts';
import { bare } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { peers } from '../libraries/index.ts';
import type { Library } from '../../library.ts';
import { ofPairs } from '../../paces.ts';

const LOCKS = 64;
const PAIRS_AT_ONCE = 10;
const peerNames = peers.map(({ name }) => name);
const names = Array.from({ length: LOCKS }, (_, at) => `lock-${at}`);

function contestant({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      return {
        round: async (roundMs) => {
          const cpu = process.cpuUsage();
          const start = performance.now();
          let pairs = 0;
          const work = async (lock: string): Promise<void> => {
            while (performance.now() - start < roundMs) {
              await locker.loop(lock, PAIRS_AT_ONCE);
              pairs += PAIRS_AT_ONCE;
            }
          };
          await Promise.all(names.map(work));
          const elapsedMs = performance.now() - start;
          const { user, system } = process.cpuUsage(cpu);
          return { 'pairs/s': (pairs / elapsedMs) * 1000, 'client CPU µs a pair': (user + system) / pairs };
        },
        close: () => locker.close(),
      };
    },
  };
}

function promiseOf(client: ClientName): Promised {
  const floor = bare(client).name;
  const ours = holdfast(client).name;
  return {
    text: `pairs/s, ${ours} to ${floor}`,
    of: [ours, floor],
    value: (figureOf) => figureOf(ours, 'pairs/s') / figureOf(floor, 'pairs/s'),
    bound: { atLeast: 0.8 },
    over: 'median',
  };
}

export const distinctLocks: Trial = {
  name: `${LOCKS} locks at once`,
  engine: 'redis',
  contestants: [...clientNames.flatMap((client) => [bare(client), holdfast(client)]), ...peers].map(
    contestant,
  ),
  columns: [
    { figure: 'pairs/s', digits: 0 },
    { figure: 'client CPU µs a pair', digits: 1 },
  ],
  promises: [
    ...clientNames.map(promiseOf),
    // On the client that all of them have.
    aheadOf(holdfast('ioredis 5').name, peerNames, 'pairs/s', 'more'),
  ],
  quickly: [
    ...clientOfEachKind.flatMap((client) => [bare(client).name, holdfast(client).name]),
    ...peerNames,
  ],
  pace: ofPairs,
  story: {
    about:
      `A process takes and gives back ${LOCKS} different locks at the same time over one connection, as a busy server ` +
      'does: what counts is how much work a pair is for the client and for Redis, and no longer how far away Redis is.',
    figure: 'pairs/s',
    better: 'more',
    ours: holdfast('ioredis 5').name,
    floors: clientNames.map((client) => bare(client).name),
  },
};
