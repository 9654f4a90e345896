import type { Clock } from '../../../spi/clock.ts';
import type { SpringLockType } from './spring-listening.ts';

/** So long this process may take a lock again and again, and so long it leaves it alone then. */
const PACE = {
  /** Everybody who asks every 100 ms, give or take, has asked once. */
  spin: { runMs: 500, pauseMs: 150 },
  /** Everybody was told that it is free, and has had time to come. */
  pubSub: { runMs: 200, pauseMs: 50 },
} as const;

const FEWEST_BEFORE_SWEEP = 256;

/** This process's use of a lock, for as long as nobody else has had a chance in between. */
interface SpringRun {
  readonly since: number;
  /** When it was given back, or is by itself at the latest. */
  readonly freeAt: number;
  /** How long it is left alone then. */
  readonly pauseMs: number;
}

/**
 * Leaves a lock to others after we have had it for a while (soundness 15): whoever gives back and takes again in the
 * same turn is quicker than everybody else, for ever.
 *
 * The turnstile would stand back after each release that tells others. Here that is no measure: a program listens to
 * all locks of its registry and for as long as it lives, or nobody listens at all, so that everybody who is alone would
 * be slow. And our own message, which does not say whose it is, would end each pause as it begins.
 */
export class SpringCourtesy {
  readonly #clock: Clock;
  readonly #pace: (typeof PACE)[SpringLockType];
  readonly #runs = new Map<string, SpringRun>();
  #sweepAt = FEWEST_BEFORE_SWEEP;

  constructor(clock: Clock, type: SpringLockType) {
    this.#clock = clock;
    this.#pace = PACE[type];
  }

  /** How long this process should not ask for it yet. */
  pauseMs(lock: string): number {
    const run = this.#runs.get(lock);
    const freeMs = run === undefined ? -1 : this.#clock.now() - run.freeAt;
    // Not free yet as far as we know, for nobody told us of its end: it may be free, or somebody else's.
    return run === undefined || freeMs < 0 ? 0 : Math.max(0, run.pauseMs - freeMs);
  }

  recordGrant(lock: string, leaseMs: number): void {
    const now = this.#clock.now();
    const run = this.#runs.get(lock);
    const goesOn = run !== undefined && now - run.freeAt < this.#pace.pauseMs;
    if (!goesOn && this.#runs.size >= this.#sweepAt) this.#sweep(now);
    this.#runs.set(lock, { since: goesOn ? run.since : now, freeAt: now + leaseMs, pauseMs: 0 });
  }

  /** Somebody else has it: that was their turn. */
  recordRefusal(lock: string): void {
    this.#runs.delete(lock);
  }

  recordRelease(lock: string, mayBeAwaited: boolean): void {
    const freeAt = this.#clock.now();
    // One that is not remembered was held for longer than its first lease.
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
