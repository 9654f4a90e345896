import { setTimeout } from 'node:timers/promises';
import type { Locker } from './library.ts';
import { evenness } from './shares.ts';
import { percentile } from './statistics.ts';
import type { Column, Figures } from './trial.ts';

/** How often, and how soon, some were let in while the time was counted. */
export interface Contended {
  readonly sections: number;
  /** From the call of release to the entry of somebody else, in microseconds. */
  readonly handOversUs: readonly number[];
  readonly counts: readonly number[];
  readonly countedMs: number;
  /** When all have gone who were still waiting as the time was over. */
  readonly over: Promise<unknown>;
}

/**
 * Of fewer there is no slowest in a hundred. Where one caller takes the lock again and again while the others sleep, one or
 * two are let in within a second: the slower of two is soon better than the p99 of a lock that lets everybody in.
 */
const ENOUGH_FOR_P99 = 100;

/** Another one in tests: a machine that others use stands still for longer than a test should last. */
export interface Time {
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<unknown>;
}

const realTime: Time = { now: () => performance.now(), sleep: (ms) => setTimeout(ms) };

/** Some of one process, who want one lock again as soon as they have given it back. */
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
   * Resolves when the time is over, not when everybody has gone: who asks every quarter of a second would need many
   * seconds to let all the others in once more, and its rate would be that of an empty street.
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
          // Who takes its own lock again has handed it to nobody.
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

/** If nobody else was let in all the time, then it takes that long at least. */
function latency(handOversUs: readonly number[], part: number, countedMs: number): number {
  return handOversUs.length === 0 ? countedMs * 1000 : percentile(handOversUs, part);
}
