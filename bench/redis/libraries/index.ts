import { clientNames } from '../connections.ts';
import type { Library } from '../library.ts';
import { bare } from './bare.ts';
import { holdfast, holdfastFair } from './holdfast.ts';
import { redisSemaphore, redisSemaphoreFast } from './redis-semaphore.ts';
import { redlock, redlockFast } from './redlock.ts';
import { verrou, verrouFast } from './verrou.ts';

/** What others offer, as their documentation shows it. */
export const peers: readonly Library[] = [redisSemaphore, redlock, verrou];

/** The same at the fastest setting that is still safe, for those who wait. */
export const fastPeers: readonly Library[] = [redisSemaphoreFast, redlockFast, verrouFast];

/** Every library in every setting, for the processes that are told its name. */
export const libraries: readonly Library[] = [
  ...clientNames.flatMap((client) => [bare(client), holdfast(client), holdfastFair(client)]),
  ...peers,
  ...fastPeers,
];

export function libraryOf(name: string): Library {
  const found = libraries.find((library) => library.name === name);
  if (found === undefined) throw new RangeError(`there is no library ${name}`);
  return found;
}
