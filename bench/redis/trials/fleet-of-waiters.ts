import { aheadOf } from '../../ahead.ts';
import { ofFleets } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { fastPeers, peers } from '../libraries/index.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import { fleet, fleetColumns, fleetName } from './fleet.ts';
import { onlyTimers } from './only-timers.ts';

const INSIDE_MS = 1;
const timers = onlyTimers(INSIDE_MS);
const ours = holdfast('ioredis 5');
const others = [...peers, ...fastPeers];
const otherNames = others.map(({ name }) => name);

const share = {
  text: `least share of a process in any window of 2 s, ${ours.name}`,
  of: [ours.name],
  value: (figureOf) => figureOf(ours.name, 'least share of a process in 2 s'),
  bound: { atLeast: 0.5 },
  over: 'worst',
} satisfies Trial['promises'][number];

export const fleetOfWaiters: Trial = {
  name: fleetName,
  engine: 'redis',
  contestants: [ours, ...others].map(fleet(0)),
  columns: fleetColumns,
  promises: [aheadOf(ours.name, otherNames, 'sections/s', 'more', { atLeast: 5 }), share],
  quickly: [ours.name, redisSemaphore.name],
  pace: ofFleets,
  story: {
    about:
      `${fleetName} on one lock: the crowd that a lock on Redis is made for. A poller lets the last holder win nearly ` +
      'every time because all others are asleep, so look at the least share besides the rate: 1 means that every ' +
      'process got as much as the others in every two seconds, 0 that one got nothing.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
  },
};

/**
 * The same with work to do, as long as a timer of a millisecond takes: the processor is free meanwhile, as it is when the
 * work is a question to a database. No lock can have more sections than one timer after the other.
 */
export const fleetOfWorkers: Trial = {
  name: `${fleetName}, ${INSIDE_MS} ms of work`,
  engine: 'redis',
  contestants: [timers, ...[ours, ...others].map(fleet(INSIDE_MS))],
  columns: fleetColumns,
  promises: [aheadOf(ours.name, otherNames, 'sections/s', 'more')],
  quickly: [timers.name, ours.name, redisSemaphore.name],
  pace: ofFleets,
  story: {
    about:
      `${fleetName} on one lock, and each keeps it for as long as a timer of a millisecond takes, as if it asked a database. ` +
      'The floor is one timer after the other without any lock: what is missing to it is the time in which no client was ' +
      'inside.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
    floors: [timers.name],
  },
};
