import { type MaybeAsync, isPending, mapAnswer, mapAnswerFor } from '../../spi/maybe-async.ts';
import type { Released } from '../../spi/verbs/holding.ts';
import { admit, contactWith, type LineBehind } from '../acquire/admission.ts';
import { closedError } from '../client.ts';
import type { Contact } from '../acquire/contact.ts';
import type { Gate } from './gate.ts';
import { gateKey, type LocalGate } from './gates.ts';
import type { Grant } from '../acquire/grant.ts';
import { LocalQueue } from './local-queue.ts';
import { LocalWaiter, type WaitersLine } from './local-waiter.ts';
import { provesAnswer } from '../acquire/proves-answer.ts';
import type { Resource } from '../acquire/resource.ts';
import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import { StoreFullError } from '../acquire/store-full-error.ts';
import { type StandBack, throwIfOver } from '../acquire/wait.ts';

/** A grant is handed on locally at most so often, and for so long, before other processes get their turn. */
const MOST_HAND_OVERS = 64;
const LONGEST_RUN_MS = 50;

/** How long we stand back for the waiters of other clients; doubles while nobody makes use of it (soundness 15). */
const STAND_BACK_MS = 20;
const LONGEST_STAND_BACK_MS = 200;

/**
 * The waiters of this process on one plain lock: a local line in which only the head talks to the store, and a grant
 * that goes from one to the next without a round trip.
 *
 * What is handed over is the grant, not a promise of one (soundness 13): only between holds that are renewed, only with
 * a third of the lease left, and each with a fence of its own out of the block that was reserved with the grant.
 */
export class Turnstile extends LocalQueue implements Gate, LocalGate, LineBehind, WaitersLine {
  current = true;
  readonly #resource: Resource;
  /** The grant that is in local hands. */
  #grant: Grant | undefined;
  /** Somebody is on the way to the store, or a release is under way: those who come stand in line. */
  #busy = false;
  /** What the head knows of the store, once it waits in the loop. */
  contact: Contact | undefined;
  /**
   * Since when the store has answered none of those who stood here, as far as those in line need to know it. A head that
   * gives up is no answer: of many who give up one after the other each would seem to have asked only a moment ago.
   */
  #owedSince: number | undefined;
  /** What the store refused the head before with for lack of room, as long as it has answered no one since. */
  #full: Error | undefined;
  #standBackMs = 0;
  #releasedAt = 0;

  private constructor(resource: Resource) {
    super();
    this.#resource = resource;
  }

  /** The turnstile of this resource: one for each engine object and lock. */
  static of(resource: Resource): Turnstile {
    const { gates } = resource.client;
    const key = gateKey(resource);
    const known = gates.get(key);
    if (known instanceof Turnstile) return known;
    const turnstile = new Turnstile(resource);
    gates.add(key, turnstile);
    return turnstile;
  }

  /** The same for a lock object that kept one which has been given up. */
  static again(resource: Resource): Turnstile {
    resource.client.gates.wantedAgain();
    return Turnstile.of(resource);
  }

  /** How many of this process wait without standing in the store's own line. */
  static waiting(resource: Pick<Resource, 'client' | 'kind' | 'name'>): number {
    const turnstile = resource.client.gates.get(gateKey(resource));
    return turnstile instanceof Turnstile ? turnstile.waiting : 0;
  }

  get idle(): boolean {
    return this.#grant === undefined && !this.#busy && this.first === undefined;
  }

  enter(terms: AcquireTerms): MaybeAsync<Grant | null> {
    if (this.idle) {
      this.#storeIsAsked();
      return this.#go(terms);
    }
    return terms.once ? null : this.#stand(terms);
  }

  leave(grant: Grant): MaybeAsync<Released | undefined> {
    const next = this.first;
    if (next !== undefined && mayHandOver(grant, next)) {
      grant.handedOver(this.#resource.client.clock.now());
      this.remove(next);
      next.resolve(grant);
      return undefined;
    }
    this.#grant = undefined;
    this.#busy = true;
    this.#storeIsAsked();
    const answer = grant.release();
    // What is here goes on by a plain call: functions that are passed along, here and below, were a twelfth of a pair.
    return isPending(answer) ? mapAnswerFor(this, answer, released, failed) : this.released(answer);
  }

  left(waiter: LocalWaiter): void {
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
      waiter.reject(closedError(this.#resource.subject));
    }
  }

  /** The store has the grant back. */
  released(released: Released): Released {
    this.#owedSince = undefined;
    // Others have been told. Our own next attempt in the same turn would beat every one of them, for ever.
    if (released.kind === 'released' && released.others > 0) {
      this.#standBackMs ||= STAND_BACK_MS;
      this.#releasedAt = this.#resource.client.clock.now();
    } else {
      this.#standBackMs = 0;
    }
    this.#callNext();
    return released;
  }

  /** Also of a release: an unknown one ends the grant all the same, nothing is handed over, the next one asks the store. */
  failed(error: unknown): never {
    this.#full = error instanceof StoreFullError ? error : this.fullStore();
    this.#owedSince = provesAnswer(error) ? undefined : this.owedSince();
    this.#callNext();
    throw error;
  }

  /**
   * The head goes to the store. If others wait here it reserves as many fences as the grant can be passed on: to reserve
   * one for each of them looks thrifty, but few who come again and again would then send the grant back after each round,
   * and the way between processes is a hundred times longer. Alone it takes one.
   */
  #go(terms: AcquireTerms): MaybeAsync<Grant | null> {
    this.#busy = true;
    const standBack = terms.once ? undefined : this.#standBack();
    // The release was answered, and nothing is asked for as long as this one yields to others.
    if (standBack !== undefined) terms.contact?.answered(true);
    const fences = terms.renewed && this.waiting > 0 ? MOST_HAND_OVERS : 1;
    let grant: MaybeAsync<Grant | null>;
    try {
      grant = admit(this.#resource, terms, fences, standBack, this);
    } catch (error) {
      return this.failed(error);
    }
    if (standBack !== undefined) return this.#enteredAfter(standBack, grant);
    return isPending(grant) ? mapAnswerFor(this, grant, entered, failed) : this.entered(grant);
  }

  #enteredAfter(standBack: StandBack, grant: MaybeAsync<Grant | null>): MaybeAsync<Grant | null> {
    return mapAnswer(
      grant,
      (admitted) => {
        // If nobody was waiting any more, whoever we stood back for has come and gone before we looked.
        const used = standBack.used || admitted?.answer.passedOver === 0;
        this.#standBackMs = used ? 0 : Math.min(this.#standBackMs * 2, LONGEST_STAND_BACK_MS);
        return this.entered(admitted);
      },
      (error) => this.failed(error),
    );
  }

  /**
   * Time that has passed since the release counts: others have had it to come in. Whoever was heard to have gone since
   * has been in: two processes that take turns would otherwise each wait for the other, who is long gone, and for longer
   * each time because nobody comes.
   */
  #standBack(): StandBack | undefined {
    if (this.#standBackMs === 0) return undefined;
    if (this.#resource.traits.sawOtherHolder(this.#resource.name)) {
      this.#standBackMs = 0;
      return undefined;
    }
    const ms = this.#releasedAt + this.#standBackMs - this.#resource.client.clock.now();
    return ms > 0 ? { ms, used: false } : undefined;
  }

  /** The store has answered the head. */
  entered(grant: Grant | null): Grant | null {
    this.#owedSince = undefined;
    this.#full = undefined;
    if (grant === null) {
      this.#callNext();
      return null;
    }
    // Lost between the answer and here: nobody would be told to call the next.
    if (!grant.open) {
      this.#callNext();
      return grant;
    }
    this.#busy = false;
    this.#grant = grant;
    grant.gate = this;
    return grant;
  }

  lost(grant: Grant): void {
    if (this.#grant !== grant) return;
    this.#grant = undefined;
    this.#callNext();
  }

  /** The head or the one that leaves asks the store. Without a line the clock is not read: that is the uncontended path. */
  #storeIsAsked(): void {
    this.contact = undefined;
    if (this.first === undefined) this.#owedSince = undefined;
    else this.#owedSince ??= this.#resource.client.clock.now();
  }

  /** Whoever becomes the head starts with a try (soundness 16). */
  #callNext(): void {
    const next = this.first;
    this.#busy = next !== undefined;
    if (next === undefined) return;
    // What the store owes stays: this waiter is judged by it. Nothing new is owed before the waiter has asked. To count from
    // here makes an outage of many who are called one after the other when their time is over, none of whom asks.
    this.contact = undefined;
    this.remove(next);
    next.resolve(undefined);
  }

  async #stand(terms: AcquireTerms): Promise<Grant | null> {
    // While a holder of this process has the grant the store owes nothing: its release counts from when it is sent.
    if (this.#grant === undefined) this.#owedSince ??= this.#resource.client.clock.now();
    const waiter = new LocalWaiter(this.#resource, terms, this);
    this.append(waiter);
    const { client, subject } = this.#resource;
    const handed = await waiter.promise;
    if (handed?.open === true) return handed;
    if (handed !== undefined) {
      // Lost, or given back by closing, on the way from hand to hand.
      // The store has granted it: this one is no newcomer to which silence to the end means an outage, however late it asks.
      const contact = contactWith(this.#resource, true, this.#owedSince);
      throwIfOver(client, subject, terms, contact);
      // This one may have been given up meanwhile.
      return Turnstile.of(this.#resource).enter({ ...terms, contact });
    }
    const judge = contactWith(this.#resource, true, this.#owedSince);
    judge.refusedForRoom(this.#full);
    try {
      throwIfOver(client, subject, terms, judge);
    } catch (error) {
      return this.failed(error);
    }
    this.#owedSince ??= client.clock.now();
    this.contact = contactWith(this.#resource, true, this.#owedSince);
    return this.#go({ ...terms, waited: true, contact: this.contact });
  }
}

const released = (turnstile: Turnstile, answer: Released): Released => turnstile.released(answer);
const entered = (turnstile: Turnstile, grant: Grant | null): Grant | null => turnstile.entered(grant);
const failed = (turnstile: Turnstile, error: unknown): never => turnstile.failed(error);

function mayHandOver(grant: Grant, next: LocalWaiter): boolean {
  if (!grant.renewed || !next.terms.renewed || grant.handOvers >= MOST_HAND_OVERS || grant.fencesLeft === 0)
    return false;
  const now = grant.resource.client.clock.now();
  return now - grant.grantedAt < LONGEST_RUN_MS && grant.goodUntil - now >= grant.leaseMs / 3;
}
