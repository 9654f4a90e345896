import type { Trial } from '../../trial.ts';
import { holdfastFair } from '../libraries/holdfast.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import { fleet, fleetColumns, fleetName, PROCESSES } from './fleet.ts';
import { ofFleets } from '../../paces.ts';
import { ringOf } from './ring.ts';

const ours = holdfastFair('ioredis 5');
const other = redisSemaphore;
const ring = ringOf(PROCESSES);

export const fleetOfFairWaiters: Trial = {
  name: `fair lock, ${fleetName}`,
  engine: 'redis',
  contestants: [...[ours, other].map(fleet), ring],
  columns: fleetColumns,
  promises: [
    {
      text: `CV of the workers, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'CV of the workers'),
      bound: { atMost: 0.05 },
      over: 'worst',
    },
    {
      text: `sections/s, ${ours.name} to ${other.name}, which is not fair`,
      of: [ours.name, other.name],
      value: (figureOf) => figureOf(ours.name, 'sections/s') / figureOf(other.name, 'sections/s'),
      bound: { atLeast: 1 },
      over: 'median',
    },
  ],
  pace: ofFleets,
  story: {
    about:
      `${fleetName} on one fair lock: first come, first served over the whole fleet, so nearly every section changes ` +
      'the process. The floor is a bare message that goes round the same processes. The peer is not fair, and lets its ' +
      'last holder in again without a change of process.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
    floors: [ring.name],
  },
};
