import { aheadOf } from '../../ahead.ts';
import { contendedColumns } from '../../crowd.ts';
import { ofWaitersBesideJava } from '../../paces.ts';
import type { Trial } from '../../trial.ts';
import { waitersInProcess } from '../../waiters-in-process.ts';
import { GO, goContestant } from '../go.ts';
import { etcd3 } from '../libraries/etcd3.ts';
import { holdfastFairOnEtcd, holdfastOnEtcd } from '../libraries/holdfast.ts';

const WAITERS = 8;
const ours = holdfastOnEtcd.name;

export const eightWaitersOnEtcd: Trial = {
  name: `${WAITERS} waiters in one process`,
  engine: 'etcd',
  contestants: [
    ...[holdfastOnEtcd, holdfastFairOnEtcd, etcd3].map(waitersInProcess(WAITERS)),
    goContestant(WAITERS, ({ sections, roundMs, unevenness }) => ({
      'sections/s': (sections / roundMs) * 1000,
      'CV of the waiters': unevenness,
    })),
  ],
  columns: contendedColumns,
  promises: [
    aheadOf(ours, [etcd3.name], 'sections/s', 'more', { atLeast: 10 }),
    aheadOf(ours, [GO], 'sections/s', 'more', { atLeast: 5 }),
  ],
  pace: ofWaitersBesideJava,
  openMs: 1000,
  story: {
    about:
      `${WAITERS} callers of one process want the same lock again as soon as they have given it back; in Go each has a session. ` +
      'Who hands it over inside the process needs no round trip. In a fair lock, as in Go, each stands in the line of the server.',
    figure: 'sections/s',
    better: 'more',
    ours,
  },
};
