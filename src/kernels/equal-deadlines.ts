import { NoAnswerError } from '../core/in-time.ts';
import type { Clock, Timer } from '../spi/clock.ts';

/** What becomes of the outcome of a step: it travels with the step, so that it needs no promise of its own. */
export interface Outcome<T, R> {
  readonly done: (value: T) => R | PromiseLike<R>;
  readonly failed: (error: unknown) => R | PromiseLike<R>;
}

/** What stands in line until it is answered. */
interface Waited {
  readonly until: number;
  waited: boolean;
  before: Waited | undefined;
  after: Waited | undefined;
  failed(error: unknown): void;
}

/** A step on the wire. Methods and no closures: nearly every call has one. */
class Step<T, R> implements Waited {
  readonly until: number;
  readonly promise: Promise<R>;
  waited = true;
  before: Waited | undefined;
  after: Waited | undefined;
  readonly #outcome: Outcome<T, R>;
  #resolve!: (value: R | PromiseLike<R>) => void;
  #reject!: (error: Error) => void;

  constructor(until: number, outcome: Outcome<T, R>) {
    this.until = until;
    this.#outcome = outcome;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  done(value: T): void {
    try {
      this.#resolve(this.#outcome.done(value));
    } catch (thrown) {
      this.#reject(asError(thrown));
    }
  }

  failed(error: unknown): void {
    try {
      this.#resolve(this.#outcome.failed(error));
    } catch (thrown) {
      this.#reject(asError(thrown));
    }
  }
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
  #oldest: Waited | undefined;
  #newest: Waited | undefined;
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
  settled<T, R>(answer: Promise<T>, outcome: Outcome<T, R>): Promise<R> {
    const step = new Step(this.#clock.now() + this.#timeoutMs, outcome);
    this.#begin(step);
    answer.then(
      (value) => {
        if (this.#end(step)) step.done(value);
      },
      (error: unknown) => {
        if (this.#end(step)) step.failed(error);
      },
    );
    if (this.#closed) this.#giveUp(step);
    return step.promise;
  }

  /** Whoever still waits is told that no answer will come. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    while (this.#oldest !== undefined) this.#giveUp(this.#oldest);
  }

  #begin(step: Waited): void {
    const before = this.#newest;
    step.before = before;
    if (before === undefined) this.#oldest = step;
    else before.after = step;
    this.#newest = step;
    if (this.#timer === undefined && !this.#closed) this.#arm(step);
  }

  /** False if it was given up before. */
  #end(step: Waited): boolean {
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

  #giveUp(step: Waited): void {
    if (this.#end(step)) step.failed(new NoAnswerError(this.#timeoutMs));
  }

  #arm(oldest: Waited): void {
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
