import type { Clock } from '../../spi/clock.ts';
import { SweepPace } from './sweep-pace.ts';

/** How long this process may keep taking a lock in a row, and how long it then leaves the lock alone. */
interface YieldPace {
  readonly runMs: number;
  readonly pauseMs: number;
}

/** By how the waiters of other clients learn of a release. */
export const YIELD_PACE = {
  /** They poll every 100 ms, with jitter: each of them asks once in a pause. */
  polling: { runMs: 500, pauseMs: 150 },
  /** Each of them gets the message of the release in a pause, and has time to ask. */
  subscribed: { runMs: 200, pauseMs: 50 },
} as const;

/** A run of holds of this process on one lock, without a pause in which another client could have taken it. */
interface HoldRun {
  readonly since: number;
  /** When the lock was released, or when its lease ends at the latest. */
  readonly freeAt: number;
  /** How long this process leaves the lock alone from then on. */
  readonly pauseMs: number;
}

/**
 * Yields a lock to other clients after this process has had it for a while (soundness 15): a process that releases and takes
 * again in the same turn beats all other clients, without limit. Serves the locks that Holdfast shares with Spring Integration.
 *
 * The tempting alternative is `YieldToOthers`, which pauses after each release that reached other waiters. Spring's table does
 * not show its waiters. On Redis the number of receivers says nothing: a Java program listens to all locks of its registry for as
 * long as it lives, or no program listens at all. Either way a process that is alone would be slow. And our own message, which
 * carries no sender, would end each pause as it begins.
 */
export class YieldAfterRun {
  readonly #clock: Clock;
  readonly #pace: YieldPace;
  readonly #runs = new Map<string, HoldRun>();
  readonly #sweepPace = new SweepPace();

  constructor(clock: Clock, pace: YieldPace) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /** How long this process should wait before it asks for the lock. */
  pauseMs(lock: string): number {
    const run = this.#runs.get(lock);
    const freeMs = run === undefined ? -1 : this.#clock.now() - run.freeAt;
    // The recorded lease has not ended, and no release was recorded: the lock may be free, or held by another client.
    return run === undefined || freeMs < 0 ? 0 : Math.max(0, run.pauseMs - freeMs);
  }

  noteGrant(lock: string, leaseMs: number): void {
    const now = this.#clock.now();
    const run = this.#runs.get(lock);
    const goesOn = run !== undefined && now - run.freeAt < this.#pace.pauseMs;
    if (!goesOn && this.#sweepPace.isDue(this.#runs.size)) this.#sweep(now);
    this.#runs.set(lock, { since: goesOn ? run.since : now, freeAt: now + leaseMs, pauseMs: 0 });
  }

  /**
   * The lock is busy: another client had its turn. Unless the holder is this process, whose next owner asks before the first
   * has released: to forget the run here would take its release for one after a hold of unknown length, and pause at once.
   */
  noteBusy(lock: string): void {
    const run = this.#runs.get(lock);
    if (run !== undefined && run.freeAt <= this.#clock.now()) this.#runs.delete(lock);
  }

  /** `mayBeAwaited`: whether another client may wait for the lock. */
  noteRelease(lock: string, mayBeAwaited: boolean): void {
    const freeAt = this.#clock.now();
    // A lock without a record was held for longer than its first lease.
    const since = this.#runs.get(lock)?.since ?? -Infinity;
    const pauses = mayBeAwaited && freeAt - since >= this.#pace.runMs;
    this.#runs.set(lock, { since, freeAt, pauseMs: pauses ? this.#pace.pauseMs : 0 });
  }

  #sweep(now: number): void {
    for (const [lock, { freeAt }] of this.#runs) {
      if (now - freeAt >= this.#pace.pauseMs) this.#runs.delete(lock);
    }
    this.#sweepPace.restart(this.#runs.size);
  }
}
