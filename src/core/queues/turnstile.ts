import { type MaybeAsync, isPending, mapAnswer, mapAnswerFor } from '../../spi/maybe-async.ts';
import type { Released } from '../../spi/verbs/holding.ts';
import { acquireGrant } from '../acquire/acquire-grant.ts';
import type { LineBehind } from '../acquire/pending-acquire.ts';
import { closedError } from '../client.ts';
import type { Contact } from '../acquire/contact.ts';
import type { Gate } from './gate.ts';
import { gateKey, type LocalGate } from './gates.ts';
import type { Grant } from '../acquire/grant.ts';
import { mayHandOver, MOST_HAND_OVERS } from './hand-over.ts';
import { LocalQueue } from './local-queue.ts';
import { LocalWaiter, type WaitersLine } from './local-waiter.ts';
import { provesAnswer } from '../acquire/proves-answer.ts';
import type { Holdable } from '../acquire/holdable.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import { StoreFullError } from '../acquire/store-full-error.ts';
import { throwIfOver } from '../acquire/wait-limit.ts';
import type { YieldPause } from '../acquire/wait.ts';
import { SingleAttempts } from './single-attempts.ts';
import { YieldToOthers } from './yield-to-others.ts';

/**
 * The waiters of this process on one plain lock: a local queue of which only the head sends requests to the
 * store, and a grant that passes from one owner to the next without a round trip.
 *
 * What is handed over is the grant, not a promise of one (soundness 13): only between holds that are renewed, only with
 * a third of the lease left, and each with a fence of its own out of the block that was reserved with the grant.
 */
export class Turnstile extends LocalQueue implements Gate, LocalGate, LineBehind, WaitersLine {
  current = true;
  readonly #holdable: Holdable;
  /** The grant that an owner of this process has. */
  #grant: Grant | undefined;
  /** The head is on its way to the store, or a release is under way: owners that come wait in line. */
  #busy = false;
  #contact: Contact | undefined;
  /** Single attempts that wait for the answer to the head. Made with the first of them. */
  #singleAttempts: SingleAttempts | undefined;
  /**
   * Since when the store has answered none of the heads, as far as the waiters need to know it. A head that gives up is no
   * answer: of many that give up one after the other each would seem to have asked only a moment ago.
   */
  #owedSince: number | undefined;
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
    const { gates } = holdable.client;
    const key = gateKey(holdable);
    const known = gates.get(key);
    if (known instanceof Turnstile) return known;
    const turnstile = new Turnstile(holdable);
    gates.add(key, turnstile);
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

  /** What the head knows of the store, once it waits in the loop. */
  get contact(): Contact | undefined {
    return this.#contact;
  }

  set contact(contact: Contact | undefined) {
    this.#contact = contact;
    if (contact !== undefined && this.#singleAttempts?.isEmpty === false)
      this.#singleAttempts.followContact(contact);
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
    const pause = terms.once ? undefined : this.#pause();
    // The release was answered, and nothing is asked for as long as this one yields to others.
    if (pause !== undefined) terms.contact?.noteAnswer(true);
    const fences = terms.renewed && this.waiting > 0 ? MOST_HAND_OVERS : 1;
    let grant: MaybeAsync<Grant | null>;
    try {
      grant = acquireGrant(this.#holdable, terms, fences, this, pause);
    } catch (error) {
      return this.endFailed(error);
    }
    if (pause !== undefined) return this.#takeAfter(pause, grant);
    return isPending(grant) ? mapAnswerFor(this, grant, take, endFailed) : this.take(grant);
  }

  /**
   * A single attempt does not pass the owners before it, and null says that one of them, or of another process, is in. Only
   * an answer of the store says that. An attempt that waits in the store behind a holder is none, and may take any time.
   */
  #followHead(terms: AcquireTerms): MaybeAsync<Grant | null> {
    const { attemptsWait } = this.#holdable.traits;
    const isOwed = this.#contact === undefined || this.#contact.owedSince() !== undefined;
    if (this.#grant !== undefined || !isOwed || attemptsWait) return null;
    this.#singleAttempts ??= new SingleAttempts(this.#holdable);
    // Asked at the turnstile of then: this one may have been given up meanwhile.
    const ask = (): MaybeAsync<Grant | null> => Turnstile.of(this.#holdable).enter(terms);
    return this.#singleAttempts.follow(this.#contact, terms.signal, ask);
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

  owedSince(): number | undefined {
    if (this.#grant !== undefined) return undefined;
    return this.contact === undefined ? this.#owedSince : this.contact.owedSince();
  }

  fullStore(): Error | undefined {
    if (this.#grant !== undefined) return undefined;
    return this.contact === undefined ? this.#full : this.contact.fullStore();
  }

  close(): void {
    for (let waiter = this.first; waiter !== undefined; waiter = this.first) {
      this.remove(waiter);
      waiter.reject(closedError(this.#holdable.subject));
    }
    this.#singleAttempts?.close(closedError(this.#holdable.subject));
  }

  /** The store has the grant back. */
  endRelease(released: Released): Released {
    this.#owedSince = undefined;
    if (released.kind === 'released' && released.others > 0) this.#yieldFromNowOn();
    else this.#yielding = undefined;
    this.#callNext();
    // A waiter that was called goes before them.
    this.#singleAttempts?.settle(this.#busy ? 'busy' : 'ask');
    return released;
  }

  #yieldFromNowOn(): void {
    const now = this.#holdable.client.clock.now();
    if (this.#yielding === undefined) this.#yielding = new YieldToOthers(now);
    else this.#yielding.restart(now);
  }

  /** Also of a release: an unknown one ends the grant all the same, nothing is handed over, the next one asks the store. */
  endFailed(error: unknown): never {
    this.#full = error instanceof StoreFullError ? error : this.fullStore();
    this.#owedSince = provesAnswer(error) ? undefined : this.owedSince();
    this.#callNext();
    this.#singleAttempts?.headFailed(error);
    throw error;
  }

  #takeAfter(pause: YieldPause, grant: MaybeAsync<Grant | null>): MaybeAsync<Grant | null> {
    return mapAnswer(
      grant,
      (acquired) => {
        // If no owner of another client waits any more, the ones that the pause was for have come and gone before this attempt.
        if (pause.used || acquired?.answer.passedOver === 0) this.#yielding = undefined;
        else this.#yielding?.lengthen();
        return this.take(acquired);
      },
      (error) => this.endFailed(error),
    );
  }

  /**
   * A client that was heard to release since has been in: two processes that take turns would otherwise each wait for the
   * other, who is long gone, and for longer each time because none comes.
   */
  #pause(): YieldPause | undefined {
    if (this.#yielding === undefined) return undefined;
    const { traits, name, client } = this.#holdable;
    if (!traits.sawOtherHolder(name)) return this.#yielding.pauseFrom(client.clock.now());
    this.#yielding = undefined;
    return undefined;
  }

  /** The store has answered the head. */
  take(grant: Grant | null): Grant | null {
    this.#owedSince = undefined;
    this.#singleAttempts?.settle('busy');
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
    if (this.first === undefined) this.#owedSince = undefined;
    else this.#owedSince ??= this.#holdable.client.clock.now();
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
    if (this.#grant === undefined) this.#owedSince ??= this.#holdable.client.clock.now();
    terms.trace?.waits();
    const waiter = new LocalWaiter(this.#holdable, terms, this);
    this.append(waiter);
    const { client, subject } = this.#holdable;
    const handed = await waiter.promise;
    if (handed?.open === true) return handed;
    if (handed !== undefined) {
      // Lost, or released by closing, on the way from owner to owner. The store has granted it: this owner is no newcomer to
      // which silence to the end means an outage, however late it asks.
      const contact = this.#holdable.contact(true, this.#owedSince);
      throwIfOver(client, subject, terms, contact);
      // This turnstile may have been given up meanwhile.
      return Turnstile.of(this.#holdable).enter({ ...terms, contact });
    }
    const judge = this.#holdable.contact(true, this.#owedSince);
    judge.noteFullStore(this.#full);
    try {
      throwIfOver(client, subject, terms, judge);
    } catch (error) {
      return this.endFailed(error);
    }
    this.#owedSince ??= client.clock.now();
    this.contact = this.#holdable.contact(true, this.#owedSince);
    return this.enter({ ...terms, waited: true, contact: this.contact }, true);
  }
}

const endRelease = (turnstile: Turnstile, answer: Released): Released => turnstile.endRelease(answer);
const take = (turnstile: Turnstile, grant: Grant | null): Grant | null => turnstile.take(grant);
const endFailed = (turnstile: Turnstile, error: unknown): never => turnstile.endFailed(error);
