import type { Clock } from '../spi/clock.ts';
import { EngineTime } from './engine-time.ts';

/** The clocks of an engine that has several servers, each with its own; one where there is one. */
export class EngineTimes {
  readonly #clock: Clock;
  readonly #times = new Map<string, EngineTime>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(server: string): EngineTime {
    const known = this.#times.get(server);
    if (known !== undefined) return known;
    const time = new EngineTime(this.#clock);
    this.#times.set(server, time);
    return time;
  }

  /** What was known of this clock was wrong, or is no longer needed. */
  forget(server: string): void {
    this.#times.delete(server);
  }

  /** Another server may have taken over, with another clock. */
  forgetAll(): void {
    this.#times.clear();
  }
}
