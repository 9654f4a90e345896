import { systemClock, systemRandom } from '../../../core/time/clock.ts';
import type { InspectedLocks } from '../../open-locks.ts';

/** One measurement, in milliseconds for each repetition. */
export interface Measurement {
  readonly what: string;
  readonly unit: string;
  readonly times: readonly number[];
  /** How many per second, of repetitions that ran at the same time; missing where they wait for each other. */
  readonly perSecond?: number;
}

const NAME = 'holdfast-bench';
/** Repetitions before the measurement: they send scripts, prepare statements and compile code. */
const WARM_UP = 20;
/** The fewest repetitions, however short the time is. */
const FEWEST = 5;

/** A name of this run alone: two benches at the same time do not meet, and no other lock is touched. */
function nameFor(what: string): string {
  return `${NAME}:${what}:${systemRandom.id()}`;
}

/** One client and a lock that no other client wants: the cost of the way to the store and back. */
export async function measureUncontended(locks: InspectedLocks, forMs: number): Promise<Measurement> {
  const lock = locks.lock(nameFor('uncontended'));
  const pair = async (): Promise<void> => (await lock.acquire()).release();
  for (let at = 0; at < WARM_UP; at++) await pair();
  const times: number[] = [];
  const until = systemClock.now() + forMs;
  const startedAt = systemClock.now();
  for (let now = startedAt; now < until;) {
    await pair();
    const after = systemClock.now();
    times.push(after - now);
    now = after;
  }
  return {
    what: 'uncontended',
    unit: 'acquire and release',
    times,
    perSecond: rate(times.length, startedAt),
  };
}

/**
 * Two clients that pass one fair lock to and fro: from the release of one until the other, which has been waiting,
 * holds it.
 */
export async function measureHandOver(
  one: InspectedLocks,
  other: InspectedLocks,
  forMs: number,
): Promise<Measurement> {
  const name = nameFor('hand-over');
  const times: number[] = [];
  const until = systemClock.now() + forMs;
  let holding = await one.fairLock(name).acquire();
  for (let turn = 0; systemClock.now() < until || times.length < FEWEST; turn++) {
    const next = (turn % 2 === 0 ? other : one).fairLock(name);
    const waiting = next.acquire();
    await waitUntilQueued(next);
    const releasedAt = systemClock.now();
    await holding.release();
    holding = await waiting;
    if (turn >= WARM_UP / 2) times.push(systemClock.now() - releasedAt);
  }
  await holding.release();
  return { what: 'hand-over', unit: 'release here, have it there', times };
}

/** A waiter that is not queued yet would be measured on its way there. */
async function waitUntilQueued(lock: { waiters(): Promise<number> }): Promise<void> {
  while ((await lock.waiters()) === 0);
}

/** Many locks at once through one client: how much the store can take. */
export async function measureSideBySide(
  locks: InspectedLocks,
  forMs: number,
  width = 32,
): Promise<Measurement> {
  const times: number[] = [];
  const until = systemClock.now() + forMs;
  const startedAt = systemClock.now();
  await Promise.all(
    Array.from({ length: width }, async (_none, at) => {
      const lock = locks.lock(nameFor(`side-${at}`));
      for (let now = systemClock.now(); now < until;) {
        await (await lock.acquire()).release();
        const after = systemClock.now();
        times.push(after - now);
        now = after;
      }
    }),
  );
  const what = `${width} side by side`;
  return { what, unit: 'acquire and release', times, perSecond: rate(times.length, startedAt) };
}

function rate(count: number, startedAt: number): number {
  return (count / (systemClock.now() - startedAt)) * 1000;
}
