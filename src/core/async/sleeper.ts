import { type TimerQueue, TimerTask } from '../time/timer-queue.ts';

/** One sleeper, many reasons to wake it. A wake-up that finds it awake counts for its next sleep. */
export class Sleeper extends TimerTask {
  readonly #timers: TimerQueue;
  #rung = false;
  #wake: (() => void) | undefined;

  constructor(timers: TimerQueue) {
    super();
    this.#timers = timers;
  }

  override get keepsAlive(): boolean {
    return true;
  }

  readonly wake = (): void => {
    const wake = this.#wake;
    if (wake === undefined) {
      this.#rung = true;
      return;
    }
    this.#wake = undefined;
    this.#timers.drop(this);
    wake();
  };

  override due(): void {
    this.wake();
  }

  /** Sleeps until it is woken, at the latest until `until`. */
  async sleep(until: number): Promise<void> {
    if (this.#rung) {
      this.#rung = false;
      return;
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      this.#timers.set(this, until);
    });
  }
}
