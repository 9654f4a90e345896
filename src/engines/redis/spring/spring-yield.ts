import type { Clock } from '../../../spi/clock.ts';
import type { SpringLockType } from './spring-listening.ts';

/** How long this process may keep taking a lock in a row, and how long it then leaves the lock alone. */
const PACE = {
  /** Every client that polls each 100 ms, give or take, has asked once. */
  spin: { runMs: 500, pauseMs: 150 },
  /** Every subscriber has got the message of the release, and had time to ask. */
  pubSub: { runMs: 200, pauseMs: 50 },
} as const;

const FEWEST_BEFORE_SWEEP = 256;

/** A run of holds of this process on one lock, without a pause in which another client could have taken it. */
interface SpringRun {
  readonly since: number;
  /** When the lock was released, or when its lease ends at the latest. */
  readonly freeAt: number;
  /** How long this process leaves the lock alone from then on. */
  readonly pauseMs: number;
}

/**
 * Yields a lock to other clients after this process has had it for a while (soundness 15): a process that releases and takes
 * again in the same turn beats all other clients, without limit.
 *
 * The tempting alternative is `YieldToOthers` of the core, which pauses after each release that reached other waiters. Here
 * the number of receivers says nothing: a Java program listens to all locks of its registry for as long as it lives, or no
 * program listens at all, so a process that is alone would be slow. And our own message, which carries no sender, would end
 * each pause as it begins.
 */
export class SpringYield {
  readonly #clock: Clock;
  readonly #pace: (typeof PACE)[SpringLockType];
  readonly #runs = new Map<string, SpringRun>();
  #sweepAt = FEWEST_BEFORE_SWEEP;

  constructor(clock: Clock, type: SpringLockType) {
    this.#clock = clock;
    this.#pace = PACE[type];
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
    if (!goesOn && this.#runs.size >= this.#sweepAt) this.#sweep(now);
    this.#runs.set(lock, { since: goesOn ? run.since : now, freeAt: now + leaseMs, pauseMs: 0 });
  }

  /** Another client holds the lock: it had its turn. */
  noteOtherHolder(lock: string): void {
    this.#runs.delete(lock);
  }

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
    this.#sweepAt = Math.max(FEWEST_BEFORE_SWEEP, this.#runs.size * 2);
  }
}
