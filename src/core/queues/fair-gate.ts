import { type MaybeAsync, mapAnswerFor } from '../../spi/maybe-async.ts';
import type { Released } from '../../spi/verbs/holding.ts';
import { acquireGrant } from '../acquire/acquire-grant.ts';
import { followHead } from '../acquire/follow-head.ts';
import { gateKey, type LocalGate } from './gates.ts';
import type { Grant } from '../grants/grant.ts';
import type { Holdable } from '../acquire/holdable.ts';
import { type Entrance, BatchedTicket } from './batched-ticket.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';

/**
 * The way to one fair lock: the order is that of the store's line, in which every waiter has a ticket. Waiters that ask in the
 * same turn of the loop arrive there in one request, and so they take one ticket instead of several.
 *
 * While a release is under way no request is sent: an owner that has just left mostly comes again when the release is
 * answered, and goes with those that came before it. Without that the last of each place would fall behind the others, then the last but one,
 * until each stands alone. A request is put off by the answer to a release; what it would have got meanwhile is its place.
 */
export class FairGate implements Entrance, LocalGate {
  current = true;
  readonly #holdable: Holdable;
  /** Those with a waiter. */
  readonly #places = new Set<BatchedTicket>();
  /** Those of them that have not been asked for. */
  readonly #unasked = new Set<BatchedTicket>();
  /** Which may be joined. */
  #open: BatchedTicket | undefined;
  #isAboutToAsk = false;
  /** How many are being given back. */
  #leaving = 0;

  private constructor(holdable: Holdable) {
    this.#holdable = holdable;
  }

  /** The gate of this holdable: one for each engine object and lock. */
  static of(holdable: Holdable): FairGate {
    const { gates } = holdable.client;
    const key = gateKey(holdable);
    const known = gates.get(key);
    if (known instanceof FairGate) return known;
    const gate = new FairGate(holdable);
    gates.add(key, gate);
    return gate;
  }

  /** The same for a lock object that kept one which has been given up. */
  static again(holdable: Holdable): FairGate {
    holdable.client.gates.countReturn();
    return FairGate.of(holdable);
  }

  get idle(): boolean {
    return this.#places.size === 0 && this.#leaving === 0;
  }

  /** How many wait of whom the store does not know. */
  get uncounted(): number {
    let uncounted = 0;
    for (const place of this.#places) uncounted += place.uncounted;
    return uncounted;
  }

  enter(terms: AcquireTerms): MaybeAsync<Grant | null> {
    // A gate that was given up is not closed with the client.
    if (!this.current) return FairGate.of(this.#holdable).enter(terms);
    if (terms.once) return this.#tryOnce(terms);
    const entering = this.#placeFor(terms).join(terms);
    this.#askSoon();
    return entering;
  }

  /** A single attempt does not go before the waiters that came before it: once they are in the store's line, that sees to it. */
  #tryOnce(terms: AcquireTerms): MaybeAsync<Grant | null> {
    if (this.#unasked.size === 0) return acquireGrant(this.#holdable, terms, 1);
    const last = [...this.#unasked].at(-1);
    return followHead(this.#holdable, last, terms, () => FairGate.of(this.#holdable).enter(terms));
  }

  leave(grant: Grant): MaybeAsync<Released | undefined> {
    return grant.gate instanceof BatchedTicket ? grant.gate.leave(grant) : this.giveBack(grant);
  }

  giveBack(grant: Grant): MaybeAsync<Released> {
    const releasing = grant.release();
    this.#leaving++;
    return mapAnswerFor(this, releasing, endAnswered, endFailed);
  }

  dropTicket(place: BatchedTicket): void {
    this.#places.delete(place);
    this.#unasked.delete(place);
    if (this.#open === place) this.#open = undefined;
  }

  close(): void {
    for (const place of this.#places) place.close();
  }

  /** Whatever became of it. A release that was not answered leaves the waiters for its answer where they were. */
  endRelease(failure?: { readonly error: unknown }): void {
    this.#leaving--;
    for (const place of this.#unasked) place.releaseEnded(failure);
    this.#askSoon();
  }

  /**
   * A lease that is not renewed is not handed on, nor one that is to last after its release: a waiter that asks for one has a
   * ticket of its own.
   */
  #placeFor({ renewed, minHoldMs }: AcquireTerms): BatchedTicket {
    const isShared = renewed && minHoldMs === undefined;
    if (isShared && this.#open?.isFull === false) return this.#open;
    const place = new BatchedTicket(this.#holdable, this);
    this.#places.add(place);
    this.#unasked.add(place);
    this.#open = isShared ? place : undefined;
    return place;
  }

  #askSoon(): void {
    if (this.#isAboutToAsk || this.#unasked.size === 0) return;
    this.#isAboutToAsk = true;
    atEndOfTurn(() => {
      this.#isAboutToAsk = false;
      // Else the last release that ends sees to it.
      if (this.#leaving === 0) this.#ask();
    });
  }

  #ask(): void {
    const places = [...this.#unasked];
    this.#unasked.clear();
    this.#open = undefined;
    for (const place of places) place.ask();
  }
}

/**
 * Calls it when all that follows from the present event has been done, and before the next event.
 *
 * A microtask of its own would come too early: a promise that is resolved now goes on in a later one, and what it then does belongs
 * to this turn. The next tick alone would come too early as well, if the event is not a microtask: ticks go first.
 */
function atEndOfTurn(call: () => void): void {
  queueMicrotask(() => process.nextTick(call));
}

const endAnswered = (gate: FairGate, answer: Released): Released => {
  gate.endRelease();
  return answer;
};
const endFailed = (gate: FairGate, error: unknown): never => {
  gate.endRelease({ error });
  throw error;
};
