import { setTimeout } from 'node:timers/promises';
import type { Locker } from './library.ts';
import { evenness } from './shares.ts';
import { percentile } from './statistics.ts';
import type { Column, Figures } from './trial.ts';

/** How often, and how soon, the callers of a crowd acquired the lock while the time counted. */
export interface Contended {
  readonly sections: number;
  /** From the call of release to the next acquisition by another caller, in microseconds. */
  readonly handOversUs: readonly number[];
  readonly counts: readonly number[];
  readonly countedMs: number;
  /** Resolves when the callers that were waiting at the end of the time have left. */
  readonly over: Promise<unknown>;
}

/**
 * Fewer hand-overs have no slowest in a hundred. Where one caller takes the lock again and again while the others sleep, one
 * or two others acquire it within a second: the slower of two is soon better than the p99 of a lock that serves every caller.
 */
const ENOUGH_FOR_P99 = 100;

/** Tests pass another clock: a shared machine stalls for longer than a test should last. */
export interface Time {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const realTime: Time = { now: () => performance.now(), sleep: (ms) => setTimeout(ms) };

/** Callers of one process that want one lock again as soon as they have released it. */
export class Crowd {
  /** All sections so far, also those that do not count. */
  sections = 0;
  readonly #locker: Locker;
  readonly #time: Time;

  constructor(locker: Locker, time = realTime) {
    this.#locker = locker;
    this.#time = time;
  }

  /**
   * Resolves when the time is over, not when every caller has left: callers that ask four times a second would need many
   * seconds to leave one by one, in which the lock is hardly contended, and its rate would include them.
   */
  async contend(name: string, waiters: number, countedMs: number, leadInMs = 0): Promise<Contended> {
    const { now, sleep } = this.#time;
    const from = now() + leadInMs;
    const until = from + countedMs;
    const handOversUs: number[] = [];
    const counts = Array.from({ length: waiters }, () => 0);
    let last = -1;
    let releasedAt = 0;
    const come = async (_: unknown, waiter: number): Promise<void> => {
      while (now() < until) {
        const release = await this.#locker.acquire(name);
        const at = now();
        this.sections += 1;
        if (at >= from && at < until) {
          counts[waiter] = (counts[waiter] ?? 0) + 1;
          // A caller that takes its own lock again has handed it over to no other.
          if (last !== -1 && (last !== waiter || waiters === 1)) handOversUs.push((at - releasedAt) * 1000);
        }
        last = waiter;
        releasedAt = now();
        await release();
      }
    };
    const over = Promise.all(Array.from({ length: waiters }, come));
    // A failure ends the round at once.
    await Promise.race([sleep(leadInMs + countedMs), over]);
    await sleep(Math.max(0, until - now()));
    const sections = counts.reduce((sum, count) => sum + count, 0);
    return { sections, handOversUs, counts, countedMs, over };
  }
}

export function contendedFigures({ sections, handOversUs, counts, countedMs }: Contended): Figures {
  const isTooFew = handOversUs.length > 0 && handOversUs.length < ENOUGH_FOR_P99;
  return {
    'sections/s': (sections / countedMs) * 1000,
    'hand-over p50 µs': latency(handOversUs, 0.5, countedMs),
    ...(!isTooFew && { 'hand-over p99 µs': latency(handOversUs, 0.99, countedMs) }),
    'CV of the waiters': evenness(counts),
  };
}

export const contendedColumns: readonly Column[] = [
  { figure: 'sections/s', digits: 0 },
  { figure: 'hand-over p50 µs', digits: 1 },
  { figure: 'hand-over p99 µs', digits: 1 },
  { figure: 'CV of the waiters', digits: 2 },
];

/** If no other caller acquired the lock in all the time, a hand-over takes that long at least. */
function latency(handOversUs: readonly number[], part: number, countedMs: number): number {
  return handOversUs.length === 0 ? countedMs * 1000 : percentile(handOversUs, part);
}
