import type { Library } from '../../library.ts';
import { ofYoungProcesses } from '../../paces.ts';
import { median } from '../../statistics.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { type ClientName, clientOfEachKind } from '../connections.ts';
import { bare } from '../libraries/bare.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import { verrou } from '../libraries/verrou.ts';

const PAIRS = 1000;
const FIRST = 'first pair, ms';
const FIRST_CPU = 'CPU of the first pair, ms';
const EARLY = 'pairs 10 to 100, p50 µs';
const LATER = 'pairs 100 to 1000, p50 µs';

/** The pairs of a process that has connected and done nothing else: a program that locks a few times a second stays here. */
function contestant({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      locker.prepare?.('young');
      return {
        round: async () => {
          const pairsUs: number[] = [];
          const cpuBefore = process.cpuUsage();
          let cpuUs = 0;
          for (let before = performance.now(); pairsUs.length < PAIRS;) {
            await locker.loop('young', 1);
            const after = performance.now();
            if (pairsUs.push((after - before) * 1000) === 1) {
              const { user, system } = process.cpuUsage(cpuBefore);
              cpuUs = user + system;
            }
            before = performance.now();
          }
          return {
            [FIRST]: pairsUs[0]! / 1000,
            [FIRST_CPU]: cpuUs / 1000,
            [EARLY]: median(pairsUs.slice(10, 100)),
            [LATER]: median(pairsUs.slice(100)),
          };
        },
        close: () => locker.close(),
      };
    },
  };
}

function promisesOf(client: ClientName): Promised[] {
  const floor = bare(client).name;
  const ours = holdfast(client).name;
  return [
    ratioOf(FIRST, ours, redisSemaphore.name, 3),
    {
      text: `${FIRST_CPU}, ${ours}`,
      of: [ours],
      value: (figureOf) => figureOf(ours, FIRST_CPU),
      bound: { atMost: 3 },
      over: 'median',
    },
    ratioOf(EARLY, ours, floor, 1.3),
    ratioOf(LATER, ours, floor, 1.3),
  ];
}

function ratioOf(figure: string, ours: string, other: string, atMost: number): Promised {
  return {
    text: `${figure}, ${ours} to ${other}`,
    of: [ours, other],
    value: (figureOf) => figureOf(ours, figure) / figureOf(other, figure),
    bound: { atMost },
    over: 'median',
  };
}

export const firstPairs: Trial = {
  name: `first ${PAIRS} pairs of a process`,
  engine: 'redis',
  contestants: [
    ...clientOfEachKind.flatMap((client) => [bare(client), holdfast(client)]),
    redisSemaphore,
    verrou,
  ].map(contestant),
  columns: [
    { figure: FIRST, digits: 2 },
    { figure: FIRST_CPU, digits: 2 },
    { figure: EARLY, digits: 0 },
    { figure: LATER, digits: 0 },
  ],
  promises: clientOfEachKind.flatMap(promisesOf),
  pace: ofYoungProcesses,
  young: true,
  story: {
    about:
      `A process has connected, and takes and gives back a lock for the first time, then ${PAIRS} times in a row. Nothing is compiled ` +
      'when it begins. Most programs take a lock a few times a second and never get past this: their pairs cost what these do, ' +
      'and not what the pairs of a process cost that has done nothing else for a minute.',
    figure: EARLY,
    better: 'less',
    ours: holdfast('ioredis 5').name,
    floors: clientOfEachKind.map((client) => bare(client).name),
  },
};
