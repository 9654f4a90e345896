import type { Clock } from '../spi/clock.ts';

/** How much slower than the engine's our clock may run and the bound still holds. */
const DRIFT = 0.001;

/** What is known of an engine's clock from its replies: never an estimate, always a lower bound (soundness 5). */
export class EngineTime {
  readonly #clock: Clock;
  #engineNow = -Infinity;
  #heardAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * How far the bound may have fallen behind the engine: it grows with the time since the last reply, and a client that
   * was idle for an hour would set limits that are past before they are sent.
   */
  slackMs(now = this.#clock.now()): number {
    return this.#engineNow === -Infinity ? Infinity : (now - this.#heardAt) * DRIFT * 2;
  }

  /** A reply has just arrived that was decided at `engineNow`. */
  heard(engineNow: number): void {
    const now = this.#clock.now();
    if (engineNow <= this.atLeast(now)) return;
    this.#engineNow = engineNow;
    this.#heardAt = now;
  }

  /** The engine's clock shows at least this now. */
  atLeast(now = this.#clock.now()): number {
    return this.#engineNow + (now - this.#heardAt) * (1 - DRIFT);
  }
}
