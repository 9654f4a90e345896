import type { Clock } from '../../spi/clock.ts';

/** However often it is nudged, it is not looked more often than this. */
const LEAST_MS = 20;

/** Somebody who looks now and then, and sooner when told that there may be something to see. */
export class Poller {
  readonly #clock: Clock;
  #pending = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): void {
    this.#pending = true;
    this.#wake?.();
  }

  /** Waits for a nudge, or for so long. One that came meanwhile counts. */
  async within(ms: number): Promise<void> {
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
