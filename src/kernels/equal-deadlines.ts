import { NoAnswerError } from '../core/in-time.ts';
import type { Clock, Timer } from '../spi/clock.ts';

interface Step {
  readonly until: number;
  settled: boolean;
  readonly giveUp: () => void;
}

/** When so many steps lie behind those that are still waited for, the list is made anew without them. */
const FORGOTTEN = 1024;

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
  /** Those before it are settled. */
  #first = 0;
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** The outcome of a step, if it comes in time. What was asked for may still happen. */
  within<T>(outcome: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const giveUp = (): void => reject(new NoAnswerError(this.#timeoutMs));
      const step: Step = { until: this.#clock.now() + this.#timeoutMs, settled: false, giveUp };
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
      if (this.#closed) return giveUp();
      this.#forget();
      this.#steps.push(step);
      if (this.#timer === undefined) this.#arm(step);
    });
  }

  /** Whoever still waits is told that no answer will come. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    for (const step of this.#steps.splice(0)) if (!step.settled) step.giveUp();
  }

  #arm(oldest: Step): void {
    const timer = this.#clock.timer(oldest.until - this.#clock.now(), () => this.#look());
    // Somebody waits for the answer: a process whose only connection is lost must not end silently.
    timer.keepsAlive(true);
    this.#timer = timer;
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (const step of this.#steps) {
      if (step.until > now) break;
      if (!step.settled) {
        step.settled = true;
        step.giveUp();
      }
    }
    this.#steps = this.#steps.filter(({ settled }) => !settled);
    this.#first = 0;
    const [oldest] = this.#steps;
    if (oldest !== undefined) this.#arm(oldest);
  }

  /** Lets go of what is settled, now and then: it holds on to its answer. */
  #forget(): void {
    while (this.#steps[this.#first]?.settled === true) this.#first++;
    if (this.#first < FORGOTTEN) return;
    this.#steps = this.#steps.filter(({ settled }) => !settled);
    this.#first = 0;
  }
}
