import type { Clock } from '../../spi/clock.ts';

/** The shortest time between two looks, however many hints come. */
const USUAL_LEAST_MS = 20;

/** Waits for the next look: an interval, or less after a hint that there may be something to see. */
export class Poller {
  readonly #clock: Clock;
  readonly #leastMs: number;
  #pending = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, leastMs = USUAL_LEAST_MS) {
    this.#clock = clock;
    this.#leastMs = leastMs;
  }

  hint(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Waits for a hint, or for so long. A hint that came since the last look counts. `restMs` is waited whatever comes. */
  async wait(ms: number, restMs = 0): Promise<void> {
    const leastMs = Math.min(ms, Math.max(restMs, this.#leastMs));
    await this.#sleep(leastMs, false);
    if (!this.#pending && ms > leastMs) await this.#sleep(ms - leastMs, true);
    this.#pending = false;
  }

  #sleep(ms: number, wakes: boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#clock.timer(ms, end);
      timer.keepsAlive(true);
      if (wakes) this.#wake = end;
    });
  }
}
