import type { Trial } from '../../trial.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { fastPeers, peers } from '../libraries/index.ts';
import { fleet, fleetColumns, fleetName } from './fleet.ts';
import { ofFleets } from '../../paces.ts';

const ours = holdfast('ioredis 5');
const others = [...peers, ...fastPeers];

export const fleetOfWaiters: Trial = {
  name: fleetName,
  engine: 'redis',
  contestants: [ours, ...others].map(fleet),
  columns: fleetColumns,
  promises: [
    {
      text: `sections/s, ${ours.name} to the fastest of the others`,
      of: [ours.name, ...others.map(({ name }) => name)],
      value: (figureOf) =>
        figureOf(ours.name, 'sections/s') /
        Math.max(...others.map(({ name }) => figureOf(name, 'sections/s'))),
      bound: { atLeast: 5 },
      over: 'median',
    },
    {
      text: `least share of a process in any window of 2 s, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'least share of a process in 2 s'),
      bound: { atLeast: 0.5 },
      over: 'worst',
    },
  ],
  pace: ofFleets,
  story: {
    about:
      `${fleetName} on one lock: the crowd that a lock on Redis is made for. A poller lets the last holder win nearly ` +
      'every time because everybody else is asleep, so look at the least share besides the rate: 1 means that every ' +
      'process got as much as the others in every two seconds, 0 that one got nothing.',
    figure: 'sections/s',
    better: 'more',
    ours: ours.name,
  },
};
