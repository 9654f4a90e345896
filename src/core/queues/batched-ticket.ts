import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Released } from '../../spi/verbs/holding.ts';
import { acquireGrant } from '../acquire/acquire-grant.ts';
import type { LineBehind } from '../acquire/pending-acquire.ts';
import { closedError } from '../client.ts';
import { extendGrant } from '../grants/extend-grant.ts';
import type { Gate } from './gate.ts';
import { isLong } from './hand-over.ts';
import type { Grant } from '../grants/grant.ts';
import { LocalWaiter, type WaitersLine } from './local-waiter.ts';
import { OwedLine } from './owed-line.ts';
import { provesAnswer } from '../failures/proves-answer.ts';
import { requestEndOf } from '../failures/request-end.ts';
import type { Holdable } from '../acquire/holdable.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import { acquireTracing, type TraceNotes } from '../acquire/trace-acquire.ts';
import { throwIfOver } from '../acquire/wait-limit.ts';

/** So many stand at one place, at most. */
const MOST = 64;
/** For so long after the store has last confirmed a grant it is handed on without asking (soundness 13). */
const CONFIRMED_FOR_MS = 50;

/** Where the waiters of a batch enter, and where their grant is released. */
export interface Entrance extends Gate {
  enter(terms: AcquireTerms): MaybeAsync<Grant | null>;
  giveBack(grant: Grant): MaybeAsync<Released>;
  /** No waiter is left there. */
  dropTicket(place: BatchedTicket): void;
}

/**
 * One ticket in the line of the fleet for several waiters of this process. They arrive at the store in one request, so no
 * other waiter has come between them: the grant passes from one to the next in the order in which they asked, and then back.
 *
 * A turnstile gives a grant back after 50 ms, so that others get their turn. Here that would let those pass who came later.
 * But who knows after a long section whether the grant still stands? So then the store is asked, and what it has confirmed
 * is handed on.
 */
export class BatchedTicket extends OwedLine implements WaitersLine, TraceNotes {
  readonly #holdable: Holdable;
  readonly #entrance: Entrance;
  /** Aborts when no waiter is left. */
  #deserted: AbortController | undefined;
  /** When the request was sent that brought the grant, or the last that was to confirm it before it went on. */
  #confirmedAt = 0;
  /** How many the store knows to stand here. */
  #counted = 0;

  constructor(holdable: Holdable, entrance: Entrance) {
    super();
    this.#holdable = holdable;
    this.#entrance = entrance;
    this.noteRequest();
  }

  get isFull(): boolean {
    return this.waiting === MOST;
  }

  /** How many wait here of whom the store does not know; less than none if some have given up. */
  get uncounted(): number {
    return this.waiting - this.#counted;
  }

  /**
   * For a waiter that comes before the place is asked for. What the store owes to it already, because it enters again or has
   * followed another acquisition of its owner, is owed to all of the place: the request of the place is for each of them.
   */
  async join(terms: AcquireTerms): Promise<Grant | null> {
    const owedSince = terms.contact?.owedSince();
    if (owedSince !== undefined && this.owedFrom! > owedSince) this.owedFrom = owedSince;
    const waiter = new LocalWaiter(this.#holdable, terms, this);
    this.append(waiter);
    const handed = await waiter.promise;
    if (handed?.open === true) return handed;
    // Lost before it was this one's turn, or on the way from hand to hand. In the second case the store has granted it: what
    // the place was owed before that is paid, also where this waiter asked alone and the place has not heard of the answer.
    const contact = this.#holdable.contact(true, handed === undefined ? this.owedSince() : undefined);
    throwIfOver(this.#holdable.client, this.#holdable.subject, terms, contact);
    return this.#entrance.enter({ ...terms, contact });
  }

  /** An answer is awaited: that to a release, as long as the place has not been asked for, or that to the request. */
  noteRequest(): void {
    this.owedFrom = this.#holdable.client.clock.now();
  }

  /** The release that the place waited for is over. One that was not answered leaves the place where it was, and is an outage. */
  releaseEnded(failure?: { readonly error: unknown }): void {
    if (failure === undefined || provesAnswer(failure.error)) this.noteRequest();
    else this.tellFollowers('silent');
  }

  /** Asks the store for the ticket. A waiter that is alone asks on its own terms. */
  ask(): void {
    const { first } = this;
    if (first === undefined) return;
    if (this.waiting > 1) return this.#askTogether();
    this.remove(first);
    if (!this.isFollowed) return first.resolve(requestGrant(this.#holdable, this.#termsOf(first), 1));
    const asking = requestGrant(this.#holdable, this.#termsOf(first), 1, this);
    this.tellEndOf(asking);
    first.resolve(asking);
  }

  /** A waiter without a time-out never asks whether its time ended in an outage, and needs no contact for that. */
  #termsOf({ terms }: LocalWaiter): AcquireTerms {
    if (terms.until === Infinity) return terms;
    return { ...terms, contact: this.#holdable.contact(true, this.owedFrom) };
  }

  leave(grant: Grant): MaybeAsync<Released | undefined> {
    // Its holder asked for nothing of the kind when it took this ticket, but has re-entered with `minHoldMs`: the next waiter
    // would have at once what no other owner may have yet. The waiters ask the store again, which knows when that time is over.
    if (grant.requests?.minHoldMs !== undefined) this.hearLoss();
    if (this.first === undefined) return this.#entrance.giveBack(grant);
    if (!this.#isConfirmed(grant)) return this.#confirmAndHandOn(grant);
    this.#handOn(grant, this.first);
    return undefined;
  }

  /** Those who are left ask anew, and together again. */
  hearLoss(): void {
    for (const waiter of this.#drain()) waiter.resolve(undefined);
    this.tellFollowers('clear');
  }

  /** The request of the place asks for all of them. */
  asksAs(owner: OwnerId): void {
    for (let waiter = this.first; waiter !== undefined; waiter = waiter.after)
      waiter.terms.trace?.asksAs(owner);
  }

  waits(): void {
    for (let waiter = this.first; waiter !== undefined; waiter = waiter.after) waiter.terms.trace?.waits();
  }

  /** Rejects its waiters. */
  close(): void {
    this.#fail(closedError(this.#holdable.subject));
  }

  #askTogether(): void {
    this.#counted = this.waiting;
    this.#deserted = new AbortController();
    const terms = {
      ...this.#holdable.client.usualTerms(false),
      ...(acquireTracing.hasSubscribers ? { trace: this } : undefined),
      signal: this.#deserted.signal,
      contact: this.#holdable.contact(true, this.owedFrom),
    };
    requestGrant(this.#holdable, terms, this.waiting, this).then(
      (grant) => this.#takeGrant(grant),
      (error: unknown) => this.#fail(error),
    );
  }

  #takeGrant(grant: Grant): void {
    this.#counted = 0;
    this.contact = undefined;
    this.owedFrom = undefined;
    this.tellFollowers('busy');
    // Lost between the answer and here: nothing else would call the waiters.
    if (!grant.open) return this.hearLoss();
    grant.gate = this;
    this.#confirmedAt = grant.grantedAt;
    if (this.first === undefined) this.#holdable.client.background(this.#entrance.giveBack(grant));
    else this.#pass(grant, this.first);
  }

  #handOn(grant: Grant, next: LocalWaiter): void {
    next.terms.trace?.waits();
    const { clock, keeper } = this.#holdable.client;
    grant.noteHandOver(clock.now());
    // For how long it is renewed counts for each of them.
    keeper.reschedule(grant);
    this.#pass(grant, next);
  }

  #pass(grant: Grant, next: LocalWaiter): void {
    this.remove(next);
    next.resolve(grant);
  }

  async #confirmAndHandOn(grant: Grant): Promise<Released | undefined> {
    const sentAt = this.#holdable.client.clock.now();
    this.owedFrom = sentAt;
    // The owner that leaves has done its part: what becomes of the grant from now on is not its loss.
    grant.lossListener = undefined;
    const failure = await extendGrant(grant, grant.leaseMs).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // A confirmation that was not answered stays owed: its waiters enter again, and an outage goes on for them.
    if (failure === undefined || provesAnswer(failure.error)) this.owedFrom = undefined;
    if (grant.loss !== undefined) throw grant.loss;
    // Closing has given it back.
    if (!grant.open) return undefined;
    // A grant of which it is not known whether it still stands, or that has become old meanwhile, is not handed on.
    if (failure !== undefined || !isLong(grant)) this.hearLoss();
    const next = this.first;
    if (next === undefined) return this.#entrance.giveBack(grant);
    this.#confirmedAt = sentAt;
    this.#handOn(grant, next);
    return undefined;
  }

  #isConfirmed(grant: Grant): boolean {
    const elapsedMs = this.#holdable.client.clock.now() - this.#confirmedAt;
    return elapsedMs < CONFIRMED_FOR_MS && isLong(grant);
  }

  protected override remove(waiter: LocalWaiter): void {
    super.remove(waiter);
    if (this.waiting === 0) this.#entrance.dropTicket(this);
  }

  dropWaiter(waiter: LocalWaiter): void {
    this.remove(waiter);
    if (this.waiting > 0) return;
    this.#deserted?.abort();
    this.tellFollowers('left');
  }

  #fail(error: unknown): void {
    for (const waiter of this.#drain()) waiter.reject(error);
    this.tellFollowers(requestEndOf(error));
  }

  *#drain(): Iterable<LocalWaiter> {
    for (let waiter = this.first; waiter !== undefined; waiter = this.first) {
      this.remove(waiter);
      yield waiter;
    }
  }
}

/** Not a single attempt, so there is always a grant or an error. */
async function requestGrant(
  holdable: Holdable,
  terms: AcquireTerms,
  fences: number,
  line?: LineBehind,
): Promise<Grant> {
  return (await acquireGrant(holdable, terms, fences, line))!;
}
