import type { Trial } from '../../trial.ts';
import { costOfTracingOnRedis } from './cost-of-tracing.ts';
import { crowdOfClients } from './crowd-of-clients.ts';
import { distinctLocks } from './distinct-locks.ts';
import { fleetOfFairWaiters } from './fleet-of-fair-waiters.ts';
import { fleetOfWaiters, fleetOfWorkers } from './fleet-of-waiters.ts';
import { growthOfLocks, growthOfWaiters } from './growth.ts';
import { fairHandOver, plainHandOver } from './hand-over.ts';
import { heldLocks } from './held-locks.ts';
import { idleWaiters } from './idle-waiters.ts';
import { firstPairs } from './first-pairs.ts';
import { uncontendedPair } from './uncontended-pair.ts';
import { waitersBesideMemory } from './waiters-beside-memory.ts';
import { eightWaiters, sixtyFourWaiters } from './waiters-of-one-process.ts';

/** Every trial on a Redis server. */
export const redisTrials: readonly Trial[] = [
  uncontendedPair,
  costOfTracingOnRedis,
  firstPairs,
  distinctLocks,
  eightWaiters,
  sixtyFourWaiters,
  waitersBesideMemory,
  fleetOfWaiters,
  fleetOfWorkers,
  fleetOfFairWaiters,
  plainHandOver,
  fairHandOver,
  idleWaiters,
  crowdOfClients,
  heldLocks,
  growthOfWaiters,
  growthOfLocks,
];
