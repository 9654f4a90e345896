import { type Client, closedError } from '../../core/client.ts';
import { inTime, NoAnswerError } from '../../core/async/in-time.ts';
import type { Session } from '../../core/session.ts';
import { AnsweredError } from '../../core/acquire/answered-error.ts';
import { RefusedError } from '../../core/acquire/refused-error.ts';
import { StoreFullError } from '../../core/acquire/store-full-error.ts';
import { EngineError, type ErrorSubject, isHoldfastError, SessionEndedError } from '../../spi/errors.ts';
import { type MaybeAsync, isPending, type Pending } from '../../spi/maybe-async.ts';
import type { Sending } from '../../spi/engine/documents.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { EngineTime } from '../requests/engine-time.ts';
import { EngineTimes } from '../requests/engine-times.ts';
import type { Once, Request } from './at-most-once.ts';
import { afterUnanswered } from '../requests/after-unanswered.ts';
import { Slots, WithdrawnError } from '../requests/slots.ts';
import { RequestCopies } from '../requests/request-copies.ts';

/** One change of one cell, as it goes over the wire. Plain JSON. */
export interface CellCall {
  readonly kind: string;
  readonly name: string;
  readonly verb: string;
  readonly ask: object;
  readonly request: Request;
}

/** What the engine decided, and what its clock showed. Plain JSON. */
export interface CellReply {
  readonly now: number;
  readonly outcome: Once<unknown>;
}

/** The way to an engine that keeps cells elsewhere. A rejected promise means that the outcome is not known. */
export interface Wire {
  /** How many calls it carries at once: the others wait here, undecided. Any number where this is missing. */
  readonly atOnce?: number | undefined;
  /** `sending` is the same for all copies of a request; a wire that does not write to it leaves its outcome unknown. */
  send(call: CellCall, sending?: Sending): Promise<CellReply>;
  look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }>;
  /** The engine's clock; where it has several, that of the server which keeps this cell. */
  time(kind: string, name: string): Promise<number>;
  /** Tells the clocks of several servers apart. Not needed where there is one. */
  clockOf?(kind: string, name: string): string;
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
  /** Whether this wire writes to `sending` when a copy leaves the process. */
  readonly tellsWhenSent?: true;
}

export interface RemoteOptions {
  /** How long a reply is waited for before the call is sent again. */
  readonly commandTimeoutMs: number;
}

/** Calls are refused by the engine, and no longer repeated by us, after twice the time-out of a command. */
const TRIES = 2;

/** Calls that want to come in give way to those that leave or renew (soundness 21). */
const INTEREST: ReadonlySet<string> = new Set(['acquire', 'arrive']);

/**
 * Cells behind a wire that loses, delays and repeats: changes each cell with one request at a time, repeats a request
 * whose reply did not come, and gives up saying that the outcome is not known. It never sends a request again under
 * another number, because both could happen.
 */
export class ReliableCells {
  readonly #client: Client;
  readonly #session: Session;
  readonly #wire: Wire;
  readonly #commandTimeoutMs: number;
  readonly #times: EngineTimes;
  readonly #slots: Slots;
  #seq = 0;
  /** When the store last answered anything, by our clock. */
  #answeredAt = -Infinity;
  /** The store has left a question unanswered since the client was closed. */
  #isSilent = false;

  constructor(client: Client, session: Session, wire: Wire, options: RemoteOptions) {
    this.#client = client;
    this.#session = session;
    this.#wire = wire;
    this.#commandTimeoutMs = options.commandTimeoutMs;
    this.#times = new EngineTimes(client.clock);
    const { atOnce: count = Infinity } = wire;
    const patienceMs = TRIES * options.commandTimeoutMs;
    this.#slots = new Slots({ clock: client.clock, count, patienceMs });
  }

  /** One change of a cell; those of one client to one cell come one after the other. */
  async change(kind: string, name: string, verb: string, ask: object): Promise<unknown> {
    const key = `${kind}:${name}`;
    const since = this.#client.clock.now();
    const waits = !this.#slots.begin(key);
    if (waits) await this.#turn(key, kind, name, verb, ask, since);
    try {
      // The caller of an acquisition that was never sent is gone: there is nothing to give back.
      if (waits && INTEREST.has(verb)) this.#client.throwIfClosed(this.#subject(kind, name));
      this.#refuseToWaitOn(kind, name);
      return await this.#settle(kind, name, verb, ask, since, true);
    } finally {
      // Not before: a change that is told as over while it is in flight lets another one overtake it (soundness 3).
      this.#slots.give(key);
    }
  }

  /**
   * Waits until the calls before this one are over. A store that answers nothing meanwhile has twice the time-out of a
   * command, counted from the call and not from the turn: each of those in line would otherwise wait as long again, behind
   * attempts whose callers have long gone.
   */
  async #turn(
    key: string,
    kind: string,
    name: string,
    verb: string,
    ask: object,
    since: number,
  ): Promise<void> {
    const isUrgent = !INTEREST.has(verb);
    try {
      await this.#slots.queue(key, { since, isUrgent, withdraws: verb === 'release', ask });
    } catch (error) {
      const subject = this.#subject(kind, name);
      const { resource, engine } = subject;
      const failed = (why: string) =>
        new EngineError(`${resource}: ${why}`, subject, { cause: error, retryable: true });
      if (error instanceof WithdrawnError)
        throw failed('the call was withdrawn before it was sent; nothing was done.');
      if (this.#slots.isUnderWay(key)) throw this.#unanswered(subject, undefined);
      if (this.#client.closed) throw closedError(subject);
      throw failed(
        `${engine} has answered none of the calls before this one for ${TRIES * this.#commandTimeoutMs} ms; this one was not sent, and nothing was done. Check that the store can be reached and that its pool has free connections, then try again.`,
      );
    }
  }

  async look(kind: string, name: string): Promise<unknown> {
    const subject = this.#subject(kind, name);
    const askedAt = this.#client.clock.now();
    const { now, look } = await this.#repeat(subject, askedAt, () => this.#wire.look(kind, name));
    this.#timeOf(kind, name).heard(now, askedAt);
    return look;
  }

  /** A watch that is not answered is begun again; the one before may still call, which does no harm. */
  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const begun: MaybeAsync<Unwatch>[] = [];
    const endAll = (): void => {
      for (const watch of begun) {
        void Promise.resolve(watch).then(
          (unwatch) => unwatch(),
          () => undefined,
        );
      }
    };
    try {
      await this.#repeat(this.#subject(kind, name), this.#client.clock.now(), async () => {
        const watch = this.#wire.watch(kind, name, owner, heard);
        begun.push(watch);
        return watch;
      });
    } catch (error) {
      endAll();
      throw error;
    }
    return endAll;
  }

  /** When a call that began then is given up, unless the store answers something. */
  #until(since: number): number {
    return Math.max(since, this.#answeredAt) + TRIES * this.#commandTimeoutMs;
  }

  async #settle(
    kind: string,
    name: string,
    verb: string,
    ask: object,
    since: number,
    mayRepeat: boolean,
  ): Promise<unknown> {
    const subject = this.#subject(kind, name);
    await this.#sessionOpen(subject, since);
    this.#refuseFormerSelf(verb, ask, subject);
    const time = this.#timeOf(kind, name);
    if (time.slackMs() > this.#commandTimeoutMs / 10) {
      const askedAt = this.#client.clock.now();
      time.heard(await this.#repeat(subject, since, () => this.#wire.time(kind, name)), askedAt);
    }
    const request: Request = {
      client: this.#client.ids.client,
      seq: ++this.#seq,
      notAfter: time.atLeast() + TRIES * this.#commandTimeoutMs,
    };
    const sentAt = this.#client.clock.now();
    let copies = 0;
    const sending = new RequestCopies(this.#wire.tellsWhenSent === true);
    const send = (): Promise<CellReply> => {
      copies++;
      return this.#wire.send({ kind, name, verb, ask, request }, sending);
    };
    const repeating = this.#repeat(subject, since, send, sending);
    const { now, outcome } = await repeating.catch((error: unknown) => {
      // Asked when the answer is there. The tempting alternative asks when the last copy starts: an earlier one that waits
      // for a connection then may leave after it, and is carried out although its caller hears that nothing was done.
      const mayHaveArrived = copies > 1 && sending.wasSent;
      const isRefused = isFinal(error) || error instanceof StoreFullError;
      if (isRefused && !sending.wasSent) sending.giveUp();
      if (!(error instanceof StoreFullError))
        throw mayHaveArrived && isFinal(error) ? afterUnanswered(error) : error;
      // A copy before this one may have found room: its caller must not wait for room.
      throw mayHaveArrived
        ? afterUnanswered(new RefusedError(error.message, subject, { cause: error, retryable: true }))
        : new StoreFullError(error.message, subject, error.cause, true);
    });
    time.heard(now, sentAt);
    if (outcome.kind === 'done') return outcome.answer;
    // The only copy was too late by the engine's clock: it did nothing, and what we knew of that clock was wrong.
    if (outcome.kind === 'late' && copies === 1 && mayRepeat) {
      this.#times.forgetAll();
      return this.#settle(kind, name, verb, ask, since, false);
    }
    // What was known of the clock may be of a server that is no longer the one.
    this.#times.forgetAll();
    if (outcome.kind === 'session-ended') {
      this.#session.ended(request.client);
      throw new SessionEndedError(subject);
    }
    throw new AnsweredError(
      `${subject.resource}: the store refused the call because it came ${outcome.kind === 'late' ? 'too late' : 'after a later one'}; an earlier copy may have been carried out. Look, then try again.`,
      subject,
      { retryable: true },
    );
  }

  /**
   * Whoever closes waits until everybody has left, one after the other. Of a store that does not answer the first of them
   * finds that out for all: to let each ask took the time-out times the number of those who waited, and what they had ends
   * by itself. One whose connections break is asked by each: that takes no time, and the next may be as good as new.
   */
  #refuseToWaitOn(kind: string, name: string): void {
    if (this.#isSilent) throw closedError(this.#subject(kind, name));
  }

  /** Nearly always it is open, and then nothing has to be waited for. */
  #sessionOpen(subject: ErrorSubject, since: number): MaybeAsync<void> {
    const opening = this.#session.open();
    if (!isPending(opening)) return undefined;
    let first: Pending<void> | undefined = opening;
    return this.#repeat(subject, since, async () => {
      const beat = first ?? this.#session.open();
      first = undefined;
      return beat;
    });
  }

  /** An owner of an ended session must not come in: nothing would be there to show that it lives. */
  #refuseFormerSelf(verb: string, ask: object, subject: ErrorSubject): void {
    if (!INTEREST.has(verb) || !('owner' in ask)) return;
    if (!String(ask.owner).startsWith(`${this.#client.ids.client}:`)) throw new SessionEndedError(subject);
  }

  /** With `sending` for what changes something. To ask for the time, for example, does nothing. */
  async #repeat<T>(
    subject: ErrorSubject,
    since: number,
    send: () => Promise<T>,
    sending?: RequestCopies,
  ): Promise<T> {
    const { clock } = this.#client;
    const until = this.#until(since);
    for (;;) {
      const leftMs = until - clock.now();
      if (leftMs <= 0) throw this.#unanswered(subject, sending);
      try {
        const answer = await inTime(clock, send(), Math.min(this.#commandTimeoutMs, leftMs));
        this.#hasAnswered();
        return answer;
      } catch (error) {
        if (isAnswer(error)) this.#hasAnswered();
        if (isAnswer(error) || isFinal(error)) throw error;
        this.#client.storeFailed(error);
        if (this.#client.closed) {
          this.#isSilent ||= error instanceof NoAnswerError;
          throw closedError(subject);
        }
        await this.#client.sleep(Math.min(this.#commandTimeoutMs / 20, until - clock.now()));
      }
    }
  }

  #hasAnswered(): void {
    this.#answeredAt = this.#client.clock.now();
    this.#client.storeAnswered();
    this.#slots.answered(this.#answeredAt);
  }

  #timeOf(kind: string, name: string): EngineTime {
    return this.#times.of(this.#wire.clockOf?.(kind, name) ?? '');
  }

  #subject(kind: string, name: string): ErrorSubject {
    return { resource: `${kind} ${JSON.stringify(name)}`, engine: this.#client.label };
  }

  /** A request that never left this process has certainly not happened: its caller need not look before it tries again. */
  #unanswered(
    subject: ErrorSubject,
    sending: RequestCopies | undefined,
    cause = this.#client.storeFailure,
  ): EngineError {
    if (sending?.wasSent === false) sending.giveUp();
    const why = cause instanceof Error ? ` (${cause.message})` : '';
    const text =
      sending?.wasSent === true
        ? `did not answer${why}; whether it happened is not known`
        : `did not answer${why}; nothing was done`;
    return new EngineError(
      `${subject.resource}: ${subject.engine} ${text}. Check that the store can be reached, then try again.`,
      subject,
      { cause, retryable: true },
    );
  }
}

/** A store that answers like this would answer a copy the same way: a name in use for something else, a missing permission. */
function isAnswer(error: unknown): boolean {
  return error instanceof EngineError
    ? error instanceof RefusedError || error instanceof StoreFullError
    : isHoldfastError(error);
}

/**
 * Another copy would fail the same way. That need not be an answer of the store: the user has closed the client, and what
 * calls in line know of the store stays as it is.
 */
function isFinal(error: unknown): error is EngineError {
  return error instanceof EngineError && (error instanceof RefusedError || !error.retryable);
}
