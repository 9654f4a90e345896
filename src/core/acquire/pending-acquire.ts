import { SessionEndedError } from '../../spi/errors.ts';
import { mapAnswer, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Busy, Granted } from '../../spi/verbs/holding.ts';
import { closedError } from '../client.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import type { Contact } from './contact.ts';
import { giveBack } from '../grants/give-back.ts';
import { Grant } from '../grants/grant.ts';
import type { Holdable, Refused } from './holdable.ts';
import type { Attempt, Turn } from './wait.ts';

/** Said of a grant whose answer came when its lease could already have ended. */
export const TOO_LATE = 'too-late';
export type Judged<G extends Granted> = Grant<G> | typeof TOO_LATE;

/** The local line whose head sends requests: the waiters behind it see by its contact whether the store answers. */
export interface LineBehind {
  contact: Contact | undefined;
}

/**
 * One wire owner on its way to a grant: attempts, hears of a hand-off, withdraws. Its id is fixed for the whole wait and gone
 * afterwards (soundness 1).
 */
export class PendingAcquire<G extends Granted> implements Turn<Judged<G>> {
  readonly holdable: Holdable<G>;
  readonly terms: AcquireTerms;
  readonly fences: number;
  readonly owner: OwnerId;
  readonly line: LineBehind | undefined;
  /** False until the store has refused this owner once, or the owner has waited in a line of this process. */
  isWaiting: boolean;
  /** When the first attempt was sent, if that was before the wait. */
  sentAt = 0;
  /** What the first attempt knows of the store, where its time may end or another acquisition follows it. */
  contact: Contact | undefined;
  readonly #generation: number;
  #watches = false;
  /** When the first request was sent after which a release may hand off to this owner. */
  #offeredAt: number | undefined;
  /** The grant that such a release handed off. */
  #handedOff: Grant<G> | undefined;

  constructor(
    holdable: Holdable<G>,
    terms: AcquireTerms,
    fences: number,
    line?: LineBehind,
    owner = holdable.newOwner(),
  ) {
    this.holdable = holdable;
    this.terms = terms;
    this.fences = fences;
    this.line = line;
    this.owner = owner;
    this.isWaiting = terms.waited === true;
    this.#generation = holdable.client.ids.generation;
  }

  get subject() {
    return this.holdable.subject;
  }

  /** The same acquisition by a new owner: nothing of this one is in the store, or it is being withdrawn. */
  successor(): PendingAcquire<G> {
    return new PendingAcquire(this.holdable, this.terms, this.fences, this.line);
  }

  /** Reports that this owner begins to wait for another. */
  tellContended(): void {
    const { client, kind, name } = this.holdable;
    if (!client.events.contended.wanted) return;
    client.events.contended.emit({ kind, name, engine: client.label, owner: this.owner });
  }

  attempt(): MaybeAsync<Attempt<Judged<G>>> {
    const { holdable, terms, owner } = this;
    if (this.#handedOff !== undefined) return this.#judgeGrant(this.#handedOff);
    const sentAt = holdable.client.clock.now();
    const ask = holdable.ask(owner, terms, this.fences);
    // A lease that is not renewed would be counted from an earlier request than the one that brought it.
    // And the release of another client knows nothing of a time for which the hold is to last.
    const offers = this.#watches && terms.renewed && terms.minHoldMs === undefined;
    if (offers) this.#offeredAt ??= sentAt;
    const answer = holdable.protocol.acquire(holdable.name, offers ? { ...ask, handOff: true } : ask);
    return mapAnswer(answer, (soon) => this.judge(soon, sentAt));
  }

  watch(heard: () => void): MaybeAsync<Unwatch> {
    const watching = this.holdable.watch(this.owner, heard, (fence) => {
      this.#handedOff ??= this.#grantHandedOff(fence);
      heard();
    });
    // Not before the watch stands: an attempt that comes earlier, because the watch is late, would offer what is not heard.
    return mapAnswer(watching, (unwatch) => {
      this.#watches = true;
      return unwatch;
    });
  }

  /** Gives back what the owner may have in the store. A place in line may outlive a short lease. */
  withdraw(_why: unknown): MaybeAsync<unknown> {
    const { holdable, terms, owner } = this;
    return giveBack(holdable, owner, Math.max(terms.leaseMs, holdable.client.renewalLeaseMs));
  }

  /** The stopwatch started before the call was sent; an answer that comes after the deadline is no grant (soundness 2). */
  judge(answer: G | Busy | Refused, sentAt: number): Attempt<Judged<G>> {
    const { holdable, terms } = this;
    if (answer.kind === 'busy') {
      this.isWaiting = true;
      return { kind: 'out', againInMs: answer.againInMs, behind: answer.behind };
    }
    if (answer.kind !== 'granted') throw holdable.refusal(answer);
    return this.#judgeGrant(new Grant(holdable, this.owner, answer, sentAt, terms.leaseMs, terms.renewed));
  }

  /**
   * Hands a grant whose answer was on its way to the keeper, unless the world has changed meanwhile: a hold of an identity
   * that has ended since was not there to be lost with the others, and one of a closed client would not be given back.
   */
  keep(grant: Grant<G>): Grant<G> {
    const { holdable } = this;
    const { client } = holdable;
    if (client.closed || client.ids.generation !== this.#generation) {
      grant.giveBack();
      const { subject } = holdable;
      throw client.closed ? closedError(subject) : new SessionEndedError(subject);
    }
    client.keeper.keep(grant);
    return grant;
  }

  /**
   * No release hands off to an owner that has not asked for it, so the stopwatch of the first such request is safe
   * (soundness 2). That of the last one is not, though it was refused: a message may lie unread for as long as the process
   * stands still, the lease may end meanwhile, and then a request that is sent and refused after all that is answered
   * before it is read.
   *
   * An owner that has waited for long asks the store instead, and learns what is left.
   */
  #grantHandedOff(fence: number): Grant<G> | undefined {
    const { holdable, terms, owner, fences } = this;
    const since = this.#offeredAt;
    const now = holdable.client.clock.now();
    if (since === undefined || now - since > terms.leaseMs / 3) return undefined;
    // Only the release of a lock hands off, and the grant of a lock says no more than this.
    const answer = { kind: 'granted', fence, fences, remainingMs: terms.leaseMs } as G;
    const grant = new Grant(holdable, owner, answer, since, terms.leaseMs, terms.renewed);
    grant.noteHandOff(now);
    return grant;
  }

  #judgeGrant(grant: Grant<G>): Attempt<Judged<G>> {
    const { client } = this.holdable;
    if (grant.deadline <= client.clock.now()) {
      client.background(this.withdraw(TOO_LATE));
      return { kind: 'in', value: TOO_LATE };
    }
    return { kind: 'in', value: grant };
  }
}
