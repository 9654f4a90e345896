import { type MaybeAsync, isPending, mapAnswer, mapAnswerFor } from '../../spi/maybe-async.ts';
import type { Released } from '../../spi/verbs/holding.ts';
import { acquireGrant } from '../acquire/acquire-grant.ts';
import { followHead } from '../acquire/follow-head.ts';
import { closedError } from '../client.ts';
import type { Gate } from './gate.ts';
import { gateKey, type LocalGate } from './gates.ts';
import type { Grant } from '../grants/grant.ts';
import { mayHandOver, MOST_HAND_OVERS } from './hand-over.ts';
import { LocalWaiter, type WaitersLine } from './local-waiter.ts';
import { OwedLine } from './owed-line.ts';
import { provesAnswer } from '../failures/proves-answer.ts';
import { requestEndOf } from '../failures/request-end.ts';
import type { Holdable } from '../acquire/holdable.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import { StoreFullError } from '../failures/store-full-error.ts';
import { throwIfOver } from '../acquire/wait-limit.ts';
import type { YieldPause } from '../acquire/wait.ts';
import { yieldAfter, type YieldToOthers } from './yield-to-others.ts';

/**
 * The waiters of this process on one plain lock: a local queue of which only the head sends requests to the
 * store, and a grant that passes from one owner to the next without a round trip.
 *
 * What is handed over is the grant, not a promise of one (soundness 13): only between holds that are renewed, only with
 * a third of the lease left, and each with a fence of its own out of the block that was reserved with the grant.
 */
export class Turnstile extends OwedLine implements Gate, LocalGate, WaitersLine {
  current = true;
  readonly #holdable: Holdable;
  /** The grant that an owner of this process has. */
  #grant: Grant | undefined;
  /** The head is on its way to the store, or a release is under way: owners that come wait in line. */
  #busy = false;
  /** What the store refused the head before with for lack of room, as long as it has answered no head since. */
  #full: Error | undefined;
  /** Set while owners of other clients wait: the next attempt comes after a pause. */
  #yielding: YieldToOthers | undefined;

  private constructor(holdable: Holdable) {
    super();
    this.#holdable = holdable;
  }

  /** The turnstile of a lock: one for each engine object and lock. */
  static of(holdable: Holdable): Turnstile {
    const key = gateKey(holdable);
    const known = holdable.client.gates.get(key);
    if (known instanceof Turnstile) return known;
    const turnstile = new Turnstile(holdable);
    holdable.client.gates.add(key, turnstile);
    return turnstile;
  }

  /** The same for a lock object that kept one which has been given up. */
  static again(holdable: Holdable): Turnstile {
    holdable.client.gates.countReturn();
    return Turnstile.of(holdable);
  }

  /** How many owners of this process wait without a ticket in the store's own line. */
  static waiting(holdable: Pick<Holdable, 'client' | 'kind' | 'name'>): number {
    const turnstile = holdable.client.gates.get(gateKey(holdable));
    return turnstile instanceof Turnstile ? turnstile.waiting : 0;
  }

  get idle(): boolean {
    return this.#grant === undefined && !this.#busy && this.first === undefined;
  }

  /**
   * Sends the head of the line to the store: a newcomer if there is no line, or the waiter that was called (`isHead`).
   *
   * If others wait here the head reserves as many fences as the grant can be passed on: to reserve one for each of them looks
   * thrifty, but few who come again and again would then send the grant back after each round, and the way between
   * processes is a hundred times longer. Alone it takes one.
   */
  enter(terms: AcquireTerms, isHead = false): MaybeAsync<Grant | null> {
    if (!isHead) {
      if (!this.idle) return terms.once ? this.#followHead(terms) : this.#waitInLine(terms);
      this.#noteRequest();
    }
    this.#busy = true;
    const pause = terms.once || this.#yielding === undefined ? undefined : this.#pause(this.#yielding);
    // The release was answered, and nothing is asked for as long as this one yields to others.
    if (pause !== undefined) terms.contact?.noteAnswer(true);
    const fences = terms.renewed && this.first !== undefined ? MOST_HAND_OVERS : 1;
    let grant: MaybeAsync<Grant | null>;
    try {
      grant = acquireGrant(this.#holdable, terms, fences, this, pause);
    } catch (error) {
      return this.endFailed(error);
    }
    if (pause !== undefined) return this.#takeAfter(pause, grant);
    return isPending(grant) ? mapAnswerFor(this, grant, take, endFailed) : this.take(grant);
  }

  /** A single attempt does not pass the owners before it. */
  #followHead(terms: AcquireTerms): MaybeAsync<Grant | null> {
    if (this.#grant === undefined) this.owedFrom ??= this.#holdable.client.clock.now();
    // Asked at the turnstile of then: this one may have been given up meanwhile.
    return followHead(this.#holdable, this, terms, () => Turnstile.of(this.#holdable).enter(terms));
  }

  leave(grant: Grant): MaybeAsync<Released | undefined> {
    const next = this.first;
    if (next !== undefined && mayHandOver(grant, next)) {
      grant.noteHandOver(this.#holdable.client.clock.now());
      this.remove(next);
      next.resolve(grant);
      return undefined;
    }
    this.#grant = undefined;
    this.#busy = true;
    this.#noteRequest();
    const answer = grant.release();
    // An answer that is here goes on by a plain call: functions passed along, here and below, were 8 % of a pair (decision 11).
    return isPending(answer) ? mapAnswerFor(this, answer, endRelease, endFailed) : this.endRelease(answer);
  }

  dropWaiter(waiter: LocalWaiter): void {
    this.remove(waiter);
  }

  override owedSince(): number | undefined {
    return this.#grant === undefined ? super.owedSince() : undefined;
  }

  override fullStore(): Error | undefined {
    if (this.#grant !== undefined) return undefined;
    return this.contact === undefined ? this.#full : super.fullStore();
  }

  close(): void {
    for (let waiter = this.first; waiter !== undefined; waiter = this.first) {
      this.remove(waiter);
      waiter.reject(closedError(this.#holdable.subject));
    }
    this.tellFollowers('left');
  }

  /** The store has the grant back. */
  endRelease(released: Released): Released {
    this.owedFrom = undefined;
    this.#yielding = yieldAfter(released, this.#yielding, this.#holdable.client.clock);
    this.#callNext();
    // A waiter that was called goes before them.
    this.tellFollowers(this.#busy ? 'busy' : 'clear');
    return released;
  }

  /** Also of a release: an unknown one ends the grant all the same, nothing is handed over, the next one asks the store. */
  endFailed(error: unknown): never {
    this.#full = error instanceof StoreFullError ? error : this.fullStore();
    this.owedFrom = provesAnswer(error) ? undefined : this.owedSince();
    this.#callNext();
    this.tellFollowers(requestEndOf(error));
    throw error;
  }

  #takeAfter(pause: YieldPause, grant: MaybeAsync<Grant | null>): MaybeAsync<Grant | null> {
    return mapAnswer(
      grant,
      (acquired) => {
        this.#yielding = this.#yielding?.after(pause, acquired?.answer.passedOver);
        return this.take(acquired);
      },
      (error) => this.endFailed(error),
    );
  }

  #pause(yielding: YieldToOthers): YieldPause | undefined {
    this.#yielding = yielding.unlessUsed(this.#holdable);
    return this.#yielding?.pauseFrom(this.#holdable.client.clock.now());
  }

  /** The store has answered the head. */
  take(grant: Grant | null): Grant | null {
    this.owedFrom = undefined;
    this.tellFollowers('busy');
    this.#full = undefined;
    // A grant that was lost between the answer and here: nothing else would call the next waiter.
    if (grant === null || !grant.open) {
      this.#callNext();
      return grant;
    }
    this.#busy = false;
    this.#grant = grant;
    grant.gate = this;
    return grant;
  }

  hearLoss(grant: Grant): void {
    if (this.#grant !== grant) return;
    this.#grant = undefined;
    this.#callNext();
  }

  /** The head or the one that leaves asks the store. Without a line the clock is not read: that is the uncontended path. */
  #noteRequest(): void {
    this.contact = undefined;
    if (this.first === undefined) this.owedFrom = undefined;
    else this.owedFrom ??= this.#holdable.client.clock.now();
  }

  /** The waiter that becomes the head starts with an attempt (soundness 16). */
  #callNext(): void {
    const next = this.first;
    this.#busy = next !== undefined;
    if (next === undefined) return;
    // What the store owes stays: this waiter is judged by it. Nothing new is owed before the waiter has asked. To count from
    // here makes an outage of many waiters that are called one after the other when their time is over, none of which asks.
    this.contact = undefined;
    this.remove(next);
    next.resolve(undefined);
  }

  async #waitInLine(terms: AcquireTerms): Promise<Grant | null> {
    // While a holder of this process has the grant the store owes nothing: its release counts from when it is sent.
    if (this.#grant === undefined) this.owedFrom ??= this.#holdable.client.clock.now();
    terms.trace?.waits();
    const waiter = new LocalWaiter(this.#holdable, terms, this);
    this.append(waiter);
    const { client, subject } = this.#holdable;
    const handed = await waiter.promise;
    if (handed?.open === true) return handed;
    if (handed !== undefined) {
      // Lost, or released by closing, on the way from owner to owner. The store has granted it: this owner is no newcomer to
      // which silence to the end means an outage, however late it asks.
      const contact = this.#holdable.contact(true, this.owedFrom);
      throwIfOver(client, subject, terms, contact);
      // This turnstile may have been given up meanwhile.
      return Turnstile.of(this.#holdable).enter({ ...terms, contact });
    }
    const judge = this.#holdable.contact(true, this.owedFrom);
    judge.noteFullStore(this.#full);
    try {
      throwIfOver(client, subject, terms, judge);
    } catch (error) {
      return this.endFailed(error);
    }
    this.owedFrom ??= client.clock.now();
    this.contact = this.#holdable.contact(true, this.owedFrom);
    return this.enter({ ...terms, waited: true, contact: this.contact }, true);
  }
}

const endRelease = (turnstile: Turnstile, answer: Released): Released => turnstile.endRelease(answer);
const take = (turnstile: Turnstile, grant: Grant | null): Grant | null => turnstile.take(grant);
const endFailed = (turnstile: Turnstile, error: unknown): never => turnstile.endFailed(error);
