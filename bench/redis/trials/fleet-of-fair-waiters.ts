import { aheadOf } from '../../ahead.ts';
import { ofFleets } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { holdfastFair } from '../libraries/holdfast.ts';
import { peers } from '../libraries/index.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import { fleet, fleetColumns, fleetName, PROCESSES } from './fleet.ts';
import { ringOf } from './ring.ts';

const ours = holdfastFair('ioredis 5');
const ring = ringOf(PROCESSES);
const otherNames = peers.map(({ name }) => name);

/**
 * Compared with locks that are not fair, because the other libraries have no fair one. The settings that poll more often are in
 * the other fleet.
 */
export const fleetOfFairWaiters: Trial = {
  name: `fair lock, ${fleetName}`,
  engine: 'redis',
  contestants: [...[ours, ...peers].map(fleet(0)), ring],
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
      text: `sections/s, ${ours.name} to ${redisSemaphore.name}, which is not fair`,
      of: [ours.name, redisSemaphore.name],
      value: (figureOf) => figureOf(ours.name, 'sections/s') / figureOf(redisSemaphore.name, 'sections/s'),
      bound: { atLeast: 1 },
      over: 'median',
    },
    aheadOf(ours.name, otherNames, 'sections/s', 'more'),
  ],
  quickly: [ours.name, redisSemaphore.name, ring.name],
  pace: ofFleets,
  story: {
    about:
      `${fleetName} on one fair lock: first come, first served over the whole fleet. The waiters of a process ask in the ` +
      'same turn of its loop and so stand at one place; waiters who come one by one stand alone, and every section then ' +
      'changes the process, as the bare message does that goes round the same processes. The peers are not fair, and let ' +
      'their last holder in again without a change of process.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
    floors: [ring.name],
  },
};
