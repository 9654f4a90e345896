import type { HarnessTime } from './harness.ts';

/** Of a unit: a timer that is later than this can end a lease that the case relies on. */
const TOLERATED = 1 / 4;
/** Of a unit: how often the detector's own timer fires. */
const PULSE = 1 / 10;

/**
 * Notices when this process did not get to run. All cases measure in units and assume that timers fire about on time;
 * on a machine where they do not, a failed case proves nothing about the engine.
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

  /** A case that stalls on purpose is judged by its first run. */
  cause(ms: number): void {
    this.#onPurpose = true;
    this.#time.stall(ms);
  }

  end(): void {
    this.#over = true;
  }

  /**
   * Ends the detection, and answers how long the stall was if it was long enough to spoil a case. Waits for the next
   * tick: when all timers are late, the one that failed the case may have fired before ours.
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
