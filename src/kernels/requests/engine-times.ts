import type { Clock } from '../../spi/clock.ts';
import { EngineTime } from './engine-time.ts';

/** The clocks of an engine that has several servers, each with its own; one where there is one. */
export class EngineTimes {
  readonly #clock: Clock;
  readonly #times = new Map<string, EngineTime>();
  /** Most engines have but one server. */
  #latestServer: string | undefined;
  #latest: EngineTime | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  of(server: string): EngineTime {
    if (this.#latest !== undefined && this.#latestServer === server) return this.#latest;
    const time = this.#times.get(server) ?? new EngineTime(this.#clock);
    this.#times.set(server, time);
    this.#latestServer = server;
    this.#latest = time;
    return time;
  }

  /** What was known of this clock was wrong, or is no longer needed. */
  forget(server: string): void {
    this.#times.delete(server);
    this.#latest = undefined;
  }

  /** Another server may have taken over, with another clock. */
  forgetAll(): void {
    this.#times.clear();
    this.#latest = undefined;
  }
}
