import type { Clock } from '../../spi/clock.ts';

/** The shortest time between two looks, however many hints come. */
const LEAST_MS = 20;

/** Waits for the next look: an interval, or less after a hint that there may be something to see. */
export class Poller {
  readonly #clock: Clock;
  #pending = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  hint(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Waits for a hint, or for so long. A hint that came since the last look counts. */
  async wait(ms: number): Promise<void> {
    await this.#sleep(Math.min(ms, LEAST_MS), false);
    if (!this.#pending && ms > LEAST_MS) await this.#sleep(ms - LEAST_MS, true);
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
