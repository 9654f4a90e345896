import type { Clock } from '../../../../spi/clock.ts';

/**
 * How long this process may keep taking a lock in a row, and how long it then leaves the lock alone: long enough for
 * every poller to ask once.
 */
const RUN_MS = 500;
const PAUSE_MS = 150;
const FEWEST_BEFORE_SWEEP = 256;

/** A run of holds of this process on one lock, without a pause in which another client could have taken it. */
interface TableRun {
  readonly since: number;
  readonly freeAt: number;
}

/**
 * Yields a lock to other clients after this process has had it for a while (soundness 15). They poll ten times a
 * second, and a process that releases and takes again in the same turn beats all of them, without limit.
 * `YieldToOthers` of the core pauses after each release that reached other waiters; the table does not say whether a
 * client waits, and a pause after each release would slow down a process that is alone.
 */
export class YieldAfterRun {
  readonly #clock: Clock;
  readonly #runs = new Map<string, TableRun>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long this process should wait before it asks for the lock. */
  pauseMs(lock: string): number {
    const run = this.#runs.get(lock);
    if (run === undefined || run.freeAt - run.since < RUN_MS) return 0;
    return Math.max(0, run.freeAt + PAUSE_MS - this.#clock.now());
  }

  /** Another client holds the lock: it had its turn. */
  noteOtherHolder(lock: string): void {
    this.#runs.delete(lock);
  }

  /** This process held the lock since then, and has released it now. */
  noteRelease(lock: string, since: number): void {
    const freeAt = this.#clock.now();
    const run = this.#runs.get(lock);
    const goesOn = run !== undefined && since - run.freeAt < PAUSE_MS && this.pauseMs(lock) === 0;
    this.#runs.set(lock, { since: goesOn ? run.since : since, freeAt });
    if (this.#runs.size >= FEWEST_BEFORE_SWEEP) this.#sweep(freeAt);
  }

  #sweep(now: number): void {
    for (const [lock, { freeAt }] of this.#runs) if (now - freeAt >= PAUSE_MS) this.#runs.delete(lock);
  }
}
