import { inTime, NoAnswerError } from '../../core/async/in-time.ts';
import { type Client, closedError } from '../../core/client.ts';
import type { EngineError, ErrorSubject } from '../../spi/errors.ts';
import { afterUnanswered } from './after-unanswered.ts';
import { isAnswer, isDecided } from './decided.ts';
import { NotReadyError } from '../../core/failures/not-ready-error.ts';
import { TRIES } from './request-limits.ts';
import { RequestTimeouts } from './request-timeouts.ts';
import type { CopiesSent } from './request-copies.ts';
import { SharedFailure } from './shared-failure.ts';
import { unanswered } from './unanswered.ts';

/** The pause before the next copy, as a part of the time-out of a command: a store that refuses at once is not flooded. */
const PAUSE_IN_A_TIMEOUT = 50;

/** A store that cannot do it for a reason that stays is asked so often: a failover may be under way at the first time. */
const LASTING_LOOKS = 2;

/** A request that is sent until a copy is answered. All its copies have one id, so the store carries out one at most. */
export interface RepeatedRequest<A> {
  /** What errors say they are about; undefined for what several callers share: they get a {@link SharedFailure}. */
  readonly subject: ErrorSubject | undefined;
  /** Sends one more copy. */
  readonly send: () => Promise<A>;
  /** The copies that may have been carried out. Missing for what changes nothing. */
  readonly copies?: CopiesSent;
  /** Called with the failure of each copy; returns what the failure means to the kernel. As it is where this is missing. */
  readonly failed?: (error: unknown) => unknown;
}

export interface RequestsOptions {
  readonly client: Client;
  /** How long a copy may take. */
  readonly commandTimeoutMs: number;
  /** Called when the store has answered, also with a refusal. */
  readonly answered?: (at: number) => void;
}

/**
 * The one place where requests are made reliable: each copy has a deadline, an unanswered request is repeated under the
 * same id until {@link TRIES} time-outs are over, and its caller then hears either that nothing was done or that the outcome
 * is not known (soundness 3). The store's own clock ends late copies (`RequestLimits`), and a remembered grant is answered with
 * the time that is left of it (soundness 2): so a copy more does no harm, and a reply to any copy is as good as the first.
 *
 * The tempting alternative lets each layer repeat what it sends. Stacked on one another, two layers send three copies
 * where each means to send two, and the inner one ends when the caller of the outer one has long gone.
 */
export class Requests {
  readonly #client: Client;
  readonly #timeoutMs: number;
  readonly #answered: RequestsOptions['answered'];
  /** The deadlines of first copies, where an engine sends many: one timer for all of them. */
  readonly deadlines: RequestTimeouts;
  #answeredAt = -Infinity;
  /** The store has left a copy unanswered since the client was closed. */
  #isSilent = false;

  constructor({ client, commandTimeoutMs, answered }: RequestsOptions) {
    this.#client = client;
    this.#timeoutMs = commandTimeoutMs;
    this.#answered = answered;
    this.deadlines = new RequestTimeouts(client.clock, commandTimeoutMs);
  }

  /** How long a request is repeated. */
  get patienceMs(): number {
    return TRIES * this.#timeoutMs;
  }

  /** When a request that its caller made then is given up, unless the store has answered others since. */
  until(since: number): number {
    return Math.max(since, this.#answeredAt) + this.patienceMs;
  }

  /**
   * The answer to a request whose first copy the caller has sent: the way down to the store is then the caller's own, and
   * this class is on it only when something goes wrong.
   */
  async answerTo<A>(request: RepeatedRequest<A>, until: number, first: Promise<A>): Promise<A> {
    try {
      const answer = await this.#inTime(first, until - this.#client.clock.now());
      this.#noteAnswer();
      return answer;
    } catch (error) {
      return this.repeat(request, until, { error });
    }
  }

  /**
   * Sends copies until one is answered or `until` is reached. `first`: the failure of a copy that the caller has sent itself.
   * Rejects with the answer of a store that would answer every copy the same way.
   */
  async repeat<A>(
    request: RepeatedRequest<A>,
    until: number,
    first?: { readonly error: unknown },
  ): Promise<A> {
    try {
      return await this.#sendUntil(request, until, first);
    } finally {
      if (request.subject !== undefined) this.#client.unsettled.delete(request.subject.resource, request);
    }
  }

  async #sendUntil<A>(
    request: RepeatedRequest<A>,
    until: number,
    first: { readonly error: unknown } | undefined,
  ): Promise<A> {
    const { clock } = this.#client;
    const pauseMs = this.#timeoutMs / PAUSE_IN_A_TIMEOUT;
    let failure = first === undefined ? undefined : this.#judge(request, first.error);
    let isReached = true;
    let lasting = 0;
    for (;;) {
      if (failure !== undefined) {
        if (!(failure instanceof NotReadyError)) isReached = false;
        else if (isReached && failure.isLasting && ++lasting === LASTING_LOOKS)
          throw this.#giveUp(request, failure);
        await this.#client.sleep(Math.min(pauseMs, until - clock.now()));
      }
      const leftMs = until - clock.now();
      // A copy with no time left would be given up unanswered, also by a store that has answered all the others.
      if (leftMs < pauseMs / 2) throw this.#giveUp(request, isReached ? failure : undefined);
      try {
        const answer = await this.#inTime(request.send(), leftMs);
        this.#noteAnswer();
        return answer;
      } catch (error) {
        failure = this.#judge(request, error);
      }
    }
  }

  /**
   * Refuses a request of a closed client that has found the store silent. All who leave a client that closes leave one after
   * the other: to let each of them find out took the time-out times their number, and what they had ends by itself. A store
   * whose connections break is asked by each: that takes no time, and the next connection may be as good as new.
   */
  throwIfSilent(subject: ErrorSubject): void {
    if (this.#isSilent) throw closedError(subject);
  }

  /** The error of a request that was given up before a copy of it was sent. */
  unanswered(subject: ErrorSubject, mayBeDone = false): EngineError {
    const { storeFailure } = this.#client;
    if (storeFailure instanceof NotReadyError && !mayBeDone) return storeFailure.explain(subject);
    return unanswered(subject, storeFailure, mayBeDone, this.patienceMs);
  }

  /** Copies under way are given up. */
  close(): void {
    this.deadlines.close();
  }

  #inTime<A>(copy: Promise<A>, leftMs: number): Promise<A> {
    return inTime(this.#client.clock, copy, Math.min(this.#timeoutMs, leftMs));
  }

  /** Throws what another copy would fail with as well. Otherwise the store has not answered, or not for good. */
  #judge(request: RepeatedRequest<unknown>, raw: unknown): unknown {
    const error = request.failed === undefined ? raw : request.failed(raw);
    const { subject, copies } = request;
    if (subject !== undefined && copies?.wasSent === true)
      this.#client.unsettled.add(subject.resource, request);
    const explained =
      error instanceof SharedFailure && subject !== undefined ? error.explainedFor(subject) : error;
    if (isAnswer(explained)) this.#noteAnswer();
    if (isDecided(explained) || explained instanceof SharedFailure) {
      throw this.#finalAnswer(request, explained);
    }
    this.#client.noteStoreFailure(error);
    if (!this.#client.closed) return error;
    this.#isSilent ||= error instanceof NoAnswerError;
    throw this.#told(request, closedError);
  }

  /**
   * Asked when the answer is there. The tempting alternative asks when the last copy starts: an earlier copy that waits for a
   * connection then may leave after it, and is carried out although its caller hears that nothing was done.
   */
  #finalAnswer({ copies }: RepeatedRequest<unknown>, error: unknown): unknown {
    if (copies === undefined) return error;
    if (copies.wasSent) return afterUnanswered(error as Error);
    copies.giveUp();
    return error;
  }

  #giveUp(request: RepeatedRequest<unknown>, notReady: unknown): Error {
    const { copies } = request;
    const mayBeDone = copies?.wasSent === true;
    if (!mayBeDone) copies?.giveUp();
    const { storeFailure } = this.#client;
    const cause = storeFailure instanceof NotReadyError ? storeFailure.cause : storeFailure;
    return this.#told(request, (subject) =>
      notReady instanceof NotReadyError
        ? notReady.explain(subject, mayBeDone)
        : unanswered(subject, cause, mayBeDone, this.patienceMs),
    );
  }

  #told({ subject }: RepeatedRequest<unknown>, explain: (subject: ErrorSubject) => Error): Error {
    return subject === undefined ? new SharedFailure(explain) : explain(subject);
  }

  #noteAnswer(): void {
    this.#answeredAt = this.#client.clock.now();
    this.#client.noteStoreAnswer();
    this.#answered?.(this.#answeredAt);
  }
}
