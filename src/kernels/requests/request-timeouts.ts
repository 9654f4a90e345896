import { NoAnswerError } from '../../core/async/in-time.ts';
import type { Clock, Timer } from '../../spi/clock.ts';
import { PendingAnswer } from '../../spi/pending-answer.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';

/** A timer that is later than this was not kept waiting by other timers: the process has stood still. */
const STOOD_STILL_MS = 100;
/** Long enough for the loop to read what has come. */
const ONE_TURN_MS = 1;

/** A step on the wire, in line until it is answered. */
class TimedAnswer<T> extends PendingAnswer<T> {
  readonly until: number;
  readonly failed: Made<unknown, T>;
  waited = true;
  before: TimedAnswer<unknown> | undefined;
  after: TimedAnswer<unknown> | undefined;

  constructor(until: number, failed: Made<unknown, T>) {
    super();
    this.until = until;
    this.failed = failed;
  }
}

type Made<A, R> = (came: A) => MaybeAsync<R>;

function asItIs<T>(value: T): T {
  return value;
}

function asItFailed(error: unknown): never {
  throw error;
}

/**
 * Steps on the wire that all have the same time to be answered. No driver is trusted to settle every promise it gives.
 *
 * The tempting alternative is a timer for each. Steps that have the same time end in the order in which they began, so
 * one timer for the oldest is enough. Those that are answered leave the line at once: to sweep them out of an array now
 * and then looks cheaper, but what it still holds on to is copied by every collection of garbage meanwhile, and that was
 * a third of what a lock cost the client.
 */
export class RequestTimeouts {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #oldest: TimedAnswer<unknown> | undefined;
  #newest: TimedAnswer<unknown> | undefined;
  #timer: Timer | undefined;
  #lookAt = 0;
  #closed = false;

  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** The answer to a step that was begun now, if it comes in time. What was asked for may still happen. */
  limit<T>(answer: Promise<T>): PendingAnswer<T> {
    return this.limitAndMap(answer, this.#clock.now(), asItIs, asItFailed);
  }

  /** What is made of it, or of its failure. */
  limitAndMap<T, R>(
    answer: Promise<T>,
    now: number,
    done: Made<T, R>,
    failed: Made<unknown, R>,
  ): PendingAnswer<R> {
    const step = new TimedAnswer<R>(now + this.#timeoutMs, failed);
    this.#begin(step);
    answer.then(
      (value) => {
        if (this.#end(step)) step.become(done, value);
      },
      (error: unknown) => {
        if (this.#end(step)) step.become(failed, error);
      },
    );
    if (this.#closed) this.#giveUp(step);
    return step;
  }

  /** Rejects what still waits: no answer will come. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#timer = undefined;
    while (this.#oldest !== undefined) this.#giveUp(this.#oldest);
  }

  #begin(step: TimedAnswer<unknown>): void {
    const before = this.#newest;
    step.before = before;
    if (before === undefined) this.#oldest = step;
    else before.after = step;
    this.#newest = step;
    if (this.#timer === undefined && !this.#closed) this.#arm(step);
  }

  /** False if it was given up before. */
  #end(step: TimedAnswer<unknown>): boolean {
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

  #giveUp(step: TimedAnswer<unknown>): void {
    if (this.#end(step)) step.become(step.failed, new NoAnswerError(this.#timeoutMs));
  }

  #arm(oldest: TimedAnswer<unknown>): void {
    this.#lookIn(oldest.until - this.#clock.now());
  }

  #lookIn(ms: number): void {
    this.#lookAt = this.#clock.now() + Math.max(0, ms);
    const timer = this.#clock.timer(ms, () => this.#look());
    // A caller waits for the answer: a process whose only connection is lost must not end silently.
    timer.keepsAlive(true);
    this.#timer = timer;
  }

  #look(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    // The answers may have come while the process stood still, and timers are called before they are read: a caller that gave
    // up now would tell its caller that the outcome is unknown, with the outcome in its hands.
    if (now - this.#lookAt > STOOD_STILL_MS) return this.#lookIn(ONE_TURN_MS);
    for (let step = this.#oldest; step !== undefined && step.until <= now; step = this.#oldest) {
      this.#giveUp(step);
    }
    if (this.#oldest !== undefined && this.#timer === undefined) this.#arm(this.#oldest);
  }
}
