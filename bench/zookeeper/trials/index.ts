import type { Trial } from '../../trial.ts';
import { handOverOfWatches } from './hand-over.ts';
import { idleWaiters } from './idle-waiters.ts';
import { uncontendedPair } from './uncontended-pair.ts';
import { eightWaiters } from './waiters-of-one-process.ts';

/** Every trial on ZooKeeper. */
export const zooKeeperTrials: readonly Trial[] = [
  uncontendedPair,
  eightWaiters,
  handOverOfWatches,
  idleWaiters,
];
