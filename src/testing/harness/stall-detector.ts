import type { HarnessTime } from './harness.ts';

/** Of a unit: a timer that comes later than this can end a lease that the case counts on. */
const TOLERATED = 1 / 4;
/** Of a unit: how often it is looked. */
const PULSE = 1 / 10;

/**
 * Notices when this process did not get to run. All cases measure in units and take it that timers fire about on time; a
 * machine on which they do not has not shown anything about the engine, neither good nor bad.
 */
export class StallDetector {
  readonly #time: HarnessTime;
  readonly #watching: Promise<void>;
  #longestMs = 0;
  #onPurpose = false;
  #over = false;

  constructor(time: HarnessTime) {
    this.#time = time;
    this.#watching = time.exact ? Promise.resolve() : this.#watch();
  }

  /** A case that stands still on purpose is judged by its first run. */
  cause(ms: number): void {
    this.#onPurpose = true;
    this.#time.stall(ms);
  }

  end(): void {
    this.#over = true;
  }

  /**
   * Ends it, and tells how long it was if that was long enough to spoil a case. Waits for the pulse that is due: when
   * all timers are late, the one that failed the case may have come before ours.
   */
  async spoiledMs(): Promise<number | undefined> {
    this.end();
    await this.#watching;
    const spoiled = !this.#onPurpose && this.#longestMs > TOLERATED * this.#time.unitMs;
    return spoiled ? Math.round(this.#longestMs) : undefined;
  }

  async #watch(): Promise<void> {
    const pulseMs = PULSE * this.#time.unitMs;
    while (!this.#over) {
      const start = this.#time.now();
      await this.#time.sleep(pulseMs);
      this.#longestMs = Math.max(this.#longestMs, this.#time.now() - start - pulseMs);
    }
  }
}
