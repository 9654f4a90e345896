import type { Client } from '../../core/client.ts';
import { NoAnswerError } from '../../core/async/in-time.ts';
import type { ClientSession } from '../../core/session.ts';
import { AnsweredError } from '../../core/failures/answered-error.ts';
import { StoreFullError } from '../../core/failures/store-full-error.ts';
import { type ErrorSubject, SessionEndedError } from '../../spi/errors.ts';
import { type MaybeAsync, isPending } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import { isDecided } from '../requests/decided.ts';
import { RequestLimits } from '../requests/request-limits.ts';
import { type RepeatedRequest, Requests } from '../requests/requests.ts';
import { RequestCopies } from '../requests/request-copies.ts';
import { type CellTurn, CellTurns, isInterest } from './cell-turns.ts';
import type { CellCall, CellReply, Wire } from './wire.ts';

export interface RemoteOptions {
  /** How long a reply is waited for before the call is sent again. */
  readonly commandTimeoutMs: number;
}

/** A change of a cell that has its turn. */
interface CellChange extends CellTurn {
  readonly kind: string;
  readonly name: string;
}

/**
 * Cells behind a wire that loses, delays and repeats: changes each cell with one request at a time, numbers the requests,
 * and has {@link Requests} repeat those whose reply did not come. It never sends a request again under another number,
 * because both could happen.
 */
export class ReliableCells {
  readonly #client: Client;
  readonly #session: ClientSession;
  readonly #wire: Wire;
  readonly #requests: Requests;
  readonly #limits: RequestLimits;
  readonly #turns: CellTurns;
  #seq = 0;

  constructor(client: Client, session: ClientSession, wire: Wire, { commandTimeoutMs }: RemoteOptions) {
    this.#client = client;
    this.#session = session;
    this.#wire = wire;
    const noteAnswer = (at: number): void => this.#turns.noteAnswer(at);
    this.#requests = new Requests({ client, commandTimeoutMs, answered: noteAnswer });
    this.#limits = new RequestLimits(client, commandTimeoutMs, wire.times);
    this.#turns = new CellTurns(client, this.#requests, wire.atOnce);
  }

  /** One change of a cell; those of one client to one cell come one after the other. */
  async change(kind: string, name: string, verb: string, ask: object): Promise<unknown> {
    const key = `${kind}:${name}`;
    const subject = this.#subject(kind, name);
    const change = { kind, name, key, verb, ask, subject, since: this.#client.clock.now() };
    if (!this.#turns.begin(key)) await this.#turns.wait(change);
    try {
      this.#requests.throwIfSilent(subject);
      return await this.#send(change, 1);
    } finally {
      // Not before: a change that is reported as over while it is in flight lets another one overtake it (soundness 3).
      this.#turns.end(key);
    }
  }

  async look(kind: string, name: string): Promise<unknown> {
    const askedAt = this.#client.clock.now();
    const { now, look } = await this.#ask(kind, name, askedAt, () => this.#wire.look(kind, name));
    this.#limits.noteTime(this.#serverOf(kind, name), now, askedAt);
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
      await this.#ask(kind, name, this.#client.clock.now(), async () => {
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

  /** Sends a change. `round`: how often it was sent with a limit, this time included. */
  async #send(change: CellChange, round: number): Promise<unknown> {
    const { kind, name, verb, ask, subject, since } = change;
    await this.#openSession(change);
    this.#refuseFormerSelf(change);
    if (!this.#limits.isKnown(this.#serverOf(kind, name), this.#client.clock.now()))
      await this.#learnTime(change);
    // Not before the time is known: a client that has not connected yet does not know which server it will be.
    const server = this.#serverOf(kind, name);
    const sentAt = this.#client.clock.now();
    const notAfter = this.#limits.notAfter(server, sentAt);
    const request = { client: this.#client.ids.client, seq: ++this.#seq, notAfter };
    const call = { kind, name, verb, ask, request };
    const copies = new CellCopies(this.#wire, call, subject);
    const until = this.#requests.until(since);
    const first = this.#wire.send(call, copies.countCopy());
    const { now, outcome } = await this.#requests.answerTo(copies, until, first).catch(settleFull);
    this.#limits.noteTime(server, now, sentAt);
    if (outcome.kind === 'done') return outcome.answer;
    if (outcome.kind === 'session-ended') {
      this.#session.endIdentity(request.client);
      throw new SessionEndedError(subject);
    }
    const late = outcome.kind === 'late' && this.#limits.judgeLate(copies.count, notAfter, round);
    if (late === 'again') return this.#send(change, round + 1);
    throw refusedCall(subject, late === false ? 'superseded' : late);
  }

  /** Nearly always it is open, and then there is nothing to ask. */
  #openSession({ kind, name, since }: CellChange): MaybeAsync<void> {
    const opening = this.#session.open();
    if (!isPending(opening)) return undefined;
    let first: MaybeAsync<void> | undefined = opening;
    return this.#ask(kind, name, since, async () => {
      const beat = first ?? this.#session.open();
      first = undefined;
      return beat;
    });
  }

  /** An owner of an ended session must not come in: nothing would be there to show that it lives. */
  #refuseFormerSelf({ verb, ask, subject }: CellChange): void {
    if (!isInterest(verb) || !('owner' in ask)) return;
    if (!String(ask.owner).startsWith(`${this.#client.ids.client}:`)) throw new SessionEndedError(subject);
  }

  /** Each call asks for itself: a wire explains its failures for one cell, and calls of other cells must not share them. */
  async #learnTime({ kind, name, since }: CellChange): Promise<void> {
    const askedAt = this.#client.clock.now();
    const now = await this.#ask(kind, name, since, () => this.#wire.time(kind, name));
    this.#limits.noteTime(this.#serverOf(kind, name), now, askedAt);
  }

  /** What changes nothing. */
  #ask<A>(kind: string, name: string, since: number, send: () => Promise<A>): Promise<A> {
    const failed = (error: unknown): unknown => suspectAfter(this.#wire, kind, name, error);
    return this.#requests.repeat(
      { subject: this.#subject(kind, name), send, failed },
      this.#requests.until(since),
    );
  }

  #serverOf(kind: string, name: string): string {
    return this.#wire.clockOf?.(kind, name) ?? '';
  }

  #subject(kind: string, name: string): ErrorSubject {
    return { resource: `${kind} ${JSON.stringify(name)}`, engine: this.#client.label };
  }
}

/** The copies of one change, all under one number. */
class CellCopies implements RepeatedRequest<CellReply> {
  readonly subject: ErrorSubject;
  readonly copies: RequestCopies<CellReply>;
  count = 0;
  readonly #wire: Wire;
  readonly #call: CellCall;

  constructor(wire: Wire, call: CellCall, subject: ErrorSubject) {
    this.#wire = wire;
    this.#call = call;
    this.subject = subject;
    this.copies = new RequestCopies(wire.tellsWhenSent === true);
  }

  readonly send = (): Promise<CellReply> => this.#wire.send(this.#call, this.countCopy());

  /** A copy is about to be sent. Of a wire that does not say when copies leave, each is taken to leave at once. */
  countCopy(): RequestCopies<CellReply> {
    this.count++;
    if (!this.copies.isReported) this.copies.leaves();
    return this.copies;
  }

  readonly failed = (error: unknown): unknown => {
    if (!this.copies.isReported && isDecided(error)) this.copies.cameToNothing();
    return suspectAfter(this.#wire, this.#call.kind, this.#call.name, error);
  };
}

/** Has the wire look after a connection that did not answer. */
function suspectAfter(wire: Wire, kind: string, name: string, error: unknown): unknown {
  if (error instanceof NoAnswerError) wire.suspect?.(kind, name);
  return error;
}

/** The store refused the last copy of a change: its limit had passed, or the store has carried out a later one. */
function refusedCall(
  subject: ErrorSubject,
  outcome: 'nothing-done' | 'unknown' | 'superseded',
): AnsweredError {
  const when = outcome === 'superseded' ? 'after a later one' : 'too late';
  const what =
    outcome === 'nothing-done'
      ? 'nothing was done. Try again.'
      : 'an earlier copy may have been carried out. Look, then try again.';
  return new AnsweredError(
    `${subject.resource}: the store refused the call because it came ${when}; ${what}`,
    subject,
    { retryable: true },
  );
}

/** A change of a cell that found no room has left nothing: no copy of it is out. */
function settleFull(error: unknown): never {
  if (!(error instanceof StoreFullError)) throw error;
  throw new StoreFullError(error.message, error, error.cause, true);
}
