import type { TimerQueue } from '../../../../core/time/timer-queue.ts';
import type { Clock } from '../../../../spi/clock.ts';
import { Alarm } from './alarm.ts';

const FAR_AHEAD_MS = 3_600_000;

/**
 * Counts the calls that have no answer yet, and keeps the process alive for as long as there are any: neither the socket nor the
 * heartbeat does, so that a program that has done its work can end without `close`.
 */
export class WaitingCallers {
  readonly #clock: Clock;
  readonly #alive: Alarm;
  #count = 0;

  constructor(clock: Clock, timers: TimerQueue) {
    this.#clock = clock;
    this.#alive = new Alarm(timers, () => this.#stay(), true);
  }

  begin(): void {
    this.#count += 1;
    if (this.#count === 1) this.#stay();
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#alive.cancel();
  }

  #stay(): void {
    this.#alive.set(this.#clock.now() + FAR_AHEAD_MS);
  }
}
