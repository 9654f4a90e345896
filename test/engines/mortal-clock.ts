import type { Clock, Timer } from '../../src/spi/clock.ts';

/** One client's clock: it counts the timers that are left, and stops for good when the client is killed. */
export class MortalClock implements Clock {
  readonly #clock: Clock;
  readonly #timers = new Set<Timer>();
  #stopped = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get pending(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#clock.now();
  }

  epochNow(): number {
    return this.#clock.epochNow();
  }

  timer(delayMs: number, call: () => void): Timer {
    if (this.#stopped) return { cancel: () => undefined, keepsAlive: () => undefined };
    const timer = this.#clock.timer(delayMs, () => {
      this.#timers.delete(timer);
      call();
    });
    this.#timers.add(timer);
    return {
      cancel: () => {
        this.#timers.delete(timer);
        timer.cancel();
      },
      keepsAlive: (yes) => timer.keepsAlive(yes),
    };
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }
}
