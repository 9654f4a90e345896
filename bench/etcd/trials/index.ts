import type { Trial } from '../../trial.ts';
import { handOverOnEtcd } from './hand-over.ts';
import { idleWaitersOnEtcd } from './idle-waiters.ts';
import { uncontendedPairOnEtcd } from './uncontended-pair.ts';
import { eightWaitersOnEtcd } from './waiters-of-one-process.ts';

/** Every trial on etcd. */
export const etcdTrials: readonly Trial[] = [
  uncontendedPairOnEtcd,
  eightWaitersOnEtcd,
  handOverOnEtcd,
  idleWaitersOnEtcd,
];
