import { handOver, handOverColumns } from '../../hand-over.ts';
import type { Trial } from '../../trial.ts';
import { holdfastFair } from '../libraries/holdfast.ts';
import { redisSemaphore, redisSemaphoreFast } from '../libraries/redis-semaphore.ts';
import { BARE_RELAY } from '../bare-relay.ts';
import { ofWaiters } from '../../paces.ts';

const ours = holdfastFair('ioredis 5').name;

export const fairHandOver: Trial = {
  name: 'hand-over on a fair lock between processes',
  engine: 'redis',
  contestants: [BARE_RELAY, ours, redisSemaphore.name, redisSemaphoreFast.name].map(handOver),
  columns: handOverColumns,
  promises: [
    {
      text: `p50, ${ours} to ${BARE_RELAY}`,
      of: [ours, BARE_RELAY],
      value: (figureOf) => figureOf(ours, 'p50 µs') / figureOf(BARE_RELAY, 'p50 µs'),
      bound: { atMost: 1.5 },
      over: 'median',
    },
  ],
  pace: ofWaiters,
  story: {
    about:
      'One process gives a fair lock back and another waits for it: the time from the call of `release` to the entry of ' +
      'the next, in which everybody stands still. The floor is a message and a script, the least that it can be made of.',
    figure: 'p50 µs',
    better: 'less',
    ours,
    floors: [BARE_RELAY],
  },
};
