import type { Clock } from '../../../../spi/clock.ts';

/** So long this process may take a lock again and again, and so long it leaves it alone then: every poller has asked once. */
const RUN_MS = 500;
const PAUSE_MS = 150;
const FEWEST_BEFORE_SWEEP = 256;

/** This process's use of a lock, for as long as nobody else has had a chance in between. */
interface TableRun {
  readonly since: number;
  readonly freeAt: number;
}

/**
 * Leaves a lock to others after we have had it for a while (soundness 15): they ask ten times a second, and whoever gives
 * back and takes again in the same turn is quicker than all of them, for ever. The table does not say whether anybody
 * waits, so that to stand back after each release would slow down everybody who is alone.
 */
export class YieldToOthers {
  readonly #clock: Clock;
  readonly #runs = new Map<string, TableRun>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long this process should not ask for it yet. */
  pauseMs(lock: string): number {
    const run = this.#runs.get(lock);
    if (run === undefined || run.freeAt - run.since < RUN_MS) return 0;
    return Math.max(0, run.freeAt + PAUSE_MS - this.#clock.now());
  }

  /** Somebody else has it: that was their turn. */
  noteOtherHolder(lock: string): void {
    this.#runs.delete(lock);
  }

  /** It was had since then, and is free now. */
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
