import { type TimerQueue, TimerTask } from '../../../../core/time/timer-queue.ts';

/** A timer that can be moved. Does not keep the process alive unless `keepsAlive` is set. */
export class Alarm extends TimerTask {
  readonly #timers: TimerQueue;
  readonly #ring: (now: number) => void;
  readonly #keepsAlive: boolean;

  constructor(timers: TimerQueue, ring: (now: number) => void, keepsAlive = false) {
    super();
    this.#timers = timers;
    this.#ring = ring;
    this.#keepsAlive = keepsAlive;
  }

  override get keepsAlive(): boolean {
    return this.#keepsAlive;
  }

  /** Sets or moves the time. */
  set(at: number): void {
    this.#timers.set(this, at);
  }

  cancel(): void {
    this.#timers.drop(this);
  }

  override due(now: number): void {
    this.#ring(now);
  }
}
