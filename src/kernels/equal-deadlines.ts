import { NoAnswerError } from '../core/in-time.ts';
import type { Clock, Timer } from '../spi/clock.ts';

interface Step {
  readonly until: number;
  settled: boolean;
  readonly giveUp: () => void;
}

/**
 * Steps on the wire that all have the same time to be answered. No driver is trusted to settle every promise it gives.
 *
 * The tempting alternative is a timer for each. Steps that have the same time end in the order in which they began, so
 * one timer for the oldest is enough; nearly all are answered long before, and cost a place in a list.
 */
export class EqualDeadlines {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #steps: Step[] = [];
  #first = 0;
  #timer: Timer | undefined;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** The outcome of a step, if it comes in time. What was asked for may still happen. */
  within<T>(outcome: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const step: Step = {
        until: this.#clock.now() + this.#timeoutMs,
        settled: false,
        giveUp: () => reject(new NoAnswerError(this.#timeoutMs)),
      };
      this.#steps.push(step);
      if (this.#timer === undefined) this.#arm();
      outcome.then(
        (value) => {
          step.settled = true;
          resolve(value);
        },
        (error: unknown) => {
          step.settled = true;
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const oldest = this.#steps[this.#first];
    if (oldest === undefined) return;
    const timer = this.#clock.timer(oldest.until - this.#clock.now(), () => this.#look());
    // Somebody waits for the answer: a process whose only connection is lost must not end silently.
    if (!oldest.settled) timer.keepsAlive(true);
    this.#timer = timer;
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let step = this.#steps[this.#first]; step !== undefined; step = this.#steps[++this.#first]) {
      if (!step.settled && step.until > now) break;
      if (!step.settled) step.giveUp();
    }
    this.#steps = this.#steps.slice(this.#first);
    this.#first = 0;
    this.#arm();
  }
}
