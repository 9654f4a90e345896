import { aheadOf } from '../../ahead.ts';
import { handOver, handOverColumns } from '../../hand-over.ts';
import { ofHandOvers } from '../../paces.ts';
import type { Promised, Trial } from '../../trial.ts';
import { BARE_FAIR_RELAY, BARE_RELAY } from '../bare-relay.ts';
import { holdfast, holdfastFair } from '../libraries/holdfast.ts';
import { fastPeers, peers } from '../libraries/index.ts';
import { redisSemaphoreFast } from '../libraries/redis-semaphore.ts';

const others = [...peers, ...fastPeers].map(({ name }) => name);

/** The others have no fair lock. Their only one is measured beside both. */
function trial(
  name: string,
  what: string,
  ours: string,
  floor: string,
  promises: readonly Promised[],
): Trial {
  return {
    name,
    engine: 'redis',
    contestants: [floor, ours, ...others].map(handOver),
    columns: handOverColumns,
    promises: [
      ...promises,
      aheadOf(ours, others, 'p50 µs', 'less', { floor }),
      aheadOf(ours, others, 'p99 µs', 'less', { floor }),
    ],
    quickly: [floor, ours, redisSemaphoreFast.name],
    pace: ofHandOvers,
    openMs: 4000,
    story: {
      about:
        `One process gives a ${what} back and another waits for it: the time from the call of \`release\` to the entry of ` +
        'the next, in which all stand still. The floor is a message and a script, the least that it can be made of. ' +
        'Who polls enters when its timer lets it.',
      figure: 'p50 µs',
      better: 'less',
      ours,
      floors: [floor],
    },
  };
}

const plain = holdfast('ioredis 5').name;
const fair = holdfastFair('ioredis 5').name;

export const plainHandOver = trial('hand-over between processes', 'lock', plain, BARE_RELAY, []);

export const fairHandOver = trial(
  'hand-over on a fair lock between processes',
  'fair lock',
  fair,
  BARE_FAIR_RELAY,
  [
    {
      text: `p50, ${fair} to ${BARE_FAIR_RELAY}`,
      of: [fair, BARE_FAIR_RELAY],
      value: (figureOf) => figureOf(fair, 'p50 µs') / figureOf(BARE_FAIR_RELAY, 'p50 µs'),
      bound: { atMost: 1.5 },
      over: 'median',
    },
  ],
);
