import type { TimerQueue } from '../../../../core/time/timer-queue.ts';
import type { Clock } from '../../../../spi/clock.ts';
import { Alarm } from './alarm.ts';

const FAR_AHEAD_MS = 3_600_000;

/**
 * Counts the unanswered calls, and keeps the process alive while there are any. Neither the socket nor the heartbeat does, so
 * that a program can end without `close` when its work is done.
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
