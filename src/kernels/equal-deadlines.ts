import { NoAnswerError } from '../core/in-time.ts';
import type { Clock, Timer } from '../spi/clock.ts';

/** What becomes of the outcome of a step: it travels with the step, so that it needs no promise of its own. */
export interface Outcome<T, R> {
  readonly done: (value: T) => R | PromiseLike<R>;
  readonly failed: (error: unknown) => R | PromiseLike<R>;
}

/** A step that is waited for, in the line of all of them. */
interface Step {
  readonly until: number;
  readonly giveUp: () => void;
  waited: boolean;
  before: Step | undefined;
  after: Step | undefined;
}

/**
 * Steps on the wire that all have the same time to be answered. No driver is trusted to settle every promise it gives.
 *
 * The tempting alternative is a timer for each. Steps that have the same time end in the order in which they began, so
 * one timer for the oldest is enough. Those that are answered leave the line at once: to sweep them out of an array now
 * and then looks cheaper, but what it still holds on to is copied by every collection of garbage meanwhile, and that was
 * a third of what a lock cost the client.
 */
export class EqualDeadlines {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #oldest: Step | undefined;
  #newest: Step | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** The outcome of a step, if it comes in time. What was asked for may still happen. */
  within<T>(step: Promise<T>): Promise<T> {
    return this.settled(step, { done: (value) => value, failed: rethrow });
  }

  /** The same, and what is made of the outcome. */
  settled<T, R>(answer: Promise<T>, { done, failed }: Outcome<T, R>): Promise<R> {
    return new Promise<R>((resolve, reject) => {
      const fail = (error: unknown): void => {
        try {
          resolve(failed(error));
        } catch (thrown) {
          reject(asError(thrown));
        }
      };
      const step = this.#begin(() => fail(new NoAnswerError(this.#timeoutMs)));
      answer.then(
        (value) => {
          if (!this.#end(step)) return;
          try {
            resolve(done(value));
          } catch (thrown) {
            reject(asError(thrown));
          }
        },
        (error: unknown) => {
          if (this.#end(step)) fail(error);
        },
      );
      if (this.#closed) this.#giveUp(step);
    });
  }

  /** Whoever still waits is told that no answer will come. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    while (this.#oldest !== undefined) this.#giveUp(this.#oldest);
  }

  #begin(giveUp: () => void): Step {
    const before = this.#newest;
    const until = this.#clock.now() + this.#timeoutMs;
    const step: Step = { until, giveUp, waited: true, before, after: undefined };
    if (before === undefined) this.#oldest = step;
    else before.after = step;
    this.#newest = step;
    if (this.#timer === undefined && !this.#closed) this.#arm(step);
    return step;
  }

  /** False if it was given up before. */
  #end(step: Step): boolean {
    if (!step.waited) return false;
    step.waited = false;
    const { before, after } = step;
    if (before === undefined) this.#oldest = after;
    else before.after = after;
    if (after === undefined) this.#newest = before;
    else after.before = before;
    step.before = undefined;
    step.after = undefined;
    return true;
  }

  #giveUp(step: Step): void {
    if (this.#end(step)) step.giveUp();
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
    for (let step = this.#oldest; step !== undefined && step.until <= now; step = this.#oldest) {
      this.#giveUp(step);
    }
    if (this.#oldest !== undefined && this.#timer === undefined) this.#arm(this.#oldest);
  }
}

function rethrow(error: unknown): never {
  throw error;
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
