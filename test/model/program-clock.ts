import type { Clock, Timer } from '../../src/spi/clock.ts';

interface Pending {
  readonly at: number;
  readonly call: () => void;
}

/** The clock of a program's clients. It stands still until the program says that time has passed. */
export class ProgramClock implements Clock {
  #now = 0;
  readonly #timers = new Set<Pending>();

  now(): number {
    return this.#now;
  }

  epochNow(): number {
    return this.#now;
  }

  timer(delayMs: number, call: () => void): Timer {
    const pending = { at: this.#now + delayMs, call };
    this.#timers.add(pending);
    return { cancel: () => void this.#timers.delete(pending), keepsAlive: () => undefined };
  }

  advance(ms: number): void {
    this.#now += ms;
    // Those that are set by a call are still to come, also if they are due at once.
    for (const pending of [...this.#timers].filter(({ at }) => at <= this.#now)) {
      if (this.#timers.delete(pending)) pending.call();
    }
  }
}
