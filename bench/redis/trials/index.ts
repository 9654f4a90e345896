import type { Trial } from '../../trial.ts';
import { distinctLocks } from './distinct-locks.ts';
import { fairHandOver } from './fair-hand-over.ts';
import { fleetOfFairWaiters } from './fleet-of-fair-waiters.ts';
import { fleetOfWaiters } from './fleet-of-waiters.ts';
import { heldLocks } from './held-locks.ts';
import { idleWaiters } from './idle-waiters.ts';
import { uncontendedPair } from './uncontended-pair.ts';
import { waitersOfOneProcess } from './waiters-of-one-process.ts';

/** Every trial on a Redis server. */
export const redisTrials: readonly Trial[] = [
  uncontendedPair,
  distinctLocks,
  waitersOfOneProcess,
  fleetOfWaiters,
  fleetOfFairWaiters,
  fairHandOver,
  idleWaiters,
  heldLocks,
];
