import { aheadOf } from '../../ahead.ts';
import { contendedColumns } from '../../crowd.ts';
import { ofWaitersBesideJava } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { waitersInProcess } from '../../waiters-in-process.ts';
import { CURATOR, curatorContestant } from '../curator.ts';
import { holdfast, holdfastFair } from '../libraries/holdfast.ts';

const WAITERS = 8;
const ours = holdfast.name;

export const eightWaiters: Trial = {
  name: `${WAITERS} waiters in one process`,
  engine: 'zookeeper',
  contestants: [
    ...[holdfast, holdfastFair].map(waitersInProcess(WAITERS)),
    curatorContestant(WAITERS, ({ sections, roundMs, unevenness }) => ({
      'sections/s': (sections / roundMs) * 1000,
      'CV of the waiters': unevenness,
    })),
  ],
  columns: contendedColumns,
  promises: [aheadOf(ours, [CURATOR], 'sections/s', 'more', { atLeast: 5 })],
  pace: ofWaitersBesideJava,
  openMs: 2000,
  story: {
    about:
      `${WAITERS} callers of one process want the same lock again as soon as they have given it back; in Java they are ` +
      'threads. Who hands it over inside the process needs no round trip. In a fair lock, as in Curator, each stands in the ' +
      'line of the server.',
    figure: 'sections/s',
    better: 'more',
    ours,
  },
};
