import { clientNames } from '../connections.ts';
import type { Library } from '../../library.ts';
import { bare } from './bare.ts';
import { holdfast, holdfastFair } from './holdfast.ts';
import { redisSemaphore, redisSemaphoreFast } from './redis-semaphore.ts';
import { redlock, redlockFast } from './redlock.ts';
import { sesameRedlock, sesameRedlockFast } from './redlock-of-sesame.ts';
import { verrou, verrouFast } from './verrou.ts';

/** What others offer, as their documentation shows it. */
export const peers: readonly Library[] = [redisSemaphore, redlock, sesameRedlock, verrou];

/** The same at the fastest setting for waiters that is still safe. */
export const fastPeers: readonly Library[] = [redisSemaphoreFast, redlockFast, sesameRedlockFast, verrouFast];

/** Every library in every setting. */
export const redisLibraries: readonly Library[] = [
  ...clientNames.flatMap((client) => [bare(client), holdfast(client), holdfastFair(client)]),
  ...peers,
  ...fastPeers,
];
