import { type MaybeAsync, mapAnswer } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Busy, Granted } from '../../spi/verbs/holding.ts';
import type { Client } from '../client.ts';
import { giveBack } from './give-back.ts';
import { Grant } from './grant.ts';
import { keptUnlessOver } from './keep-grant.ts';
import type { Asking, Refusal, Resource } from './resource.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import type { Attempt, Turn } from './wait.ts';

/** One attempt that was granted, but whose answer came when the lease could already have ended. */
export const TOO_LATE = 'too-late';
export type Admitted<G extends Granted> = Grant<G> | typeof TOO_LATE;

/** A fresh id for each acquisition that reaches the store (soundness 1). */
export function newOwner({ client, traits }: Pick<Resource, 'client' | 'traits'>): OwnerId {
  return traits.newOwner === undefined ? client.ids.next() : traits.newOwner();
}

export function asking(client: Client, owner: OwnerId, terms: AcquireTerms, fences: number): Asking {
  const { leaseMs, once } = terms;
  const ask = { owner, leaseMs, fences, wait: !once, interestMs: client.renewalLeaseMs };
  return terms.under === undefined ? ask : { ...ask, under: terms.under };
}

/** One wire owner on its way to a grant. Its id is fixed for the whole wait and gone afterwards (soundness 1). */
export class PendingAcquire<G extends Granted> implements Turn<Admitted<G>> {
  readonly resource: Resource<G>;
  readonly terms: AcquireTerms;
  readonly fences: number;
  readonly owner: OwnerId;
  readonly #generation: number;
  /** Not before it was refused once, or has waited among those of its process. */
  isWaiting: boolean;
  #watches = false;
  /** When the first request was sent after which whoever gives it back may let this owner in. */
  #offeredAt: number | undefined;
  /** The grant that came of that. */
  #offered: Grant<G> | undefined;

  constructor(resource: Resource<G>, terms: AcquireTerms, fences: number, owner?: OwnerId) {
    this.resource = resource;
    this.terms = terms;
    this.fences = fences;
    this.owner = owner ?? newOwner(resource);
    this.isWaiting = terms.waited === true;
    this.#generation = resource.client.ids.generation;
  }

  kept(grant: Grant<G>): Grant<G> {
    return keptUnlessOver(grant, this.#generation);
  }

  get subject() {
    return this.resource.subject;
  }

  attempt(): MaybeAsync<Attempt<Admitted<G>>> {
    const { resource, terms, owner } = this;
    if (this.#offered !== undefined) return this.#judgeGrant(this.#offered);
    const sentAt = resource.client.clock.now();
    const ask = asking(resource.client, owner, terms, this.fences);
    // A lease that is not renewed would be counted from an earlier request than the one that brought it.
    const offers = this.#watches && terms.renewed;
    if (offers) this.#offeredAt ??= sentAt;
    const answer = resource.acquire(offers ? { ...ask, handOff: true } : ask);
    return mapAnswer(answer, (soon) => this.judge(soon, sentAt));
  }

  watch(heard: () => void) {
    this.#watches = true;
    return this.resource.watch(this.owner, heard, (fence) => {
      this.#offered ??= this.#grantHandedOff(fence);
      heard();
    });
  }

  /**
   * Nobody is let in before it has asked for that, so the stopwatch of the first such request is safe (soundness 2). That
   * of the last one is not, though it was refused: a message may lie unread for as long as the process stands still, the
   * lease may end meanwhile, and then a request that is sent and refused after all that is answered before it is read.
   *
   * Whoever has waited for long asks, and is told what is left.
   */
  #grantHandedOff(fence: number): Grant<G> | undefined {
    const { resource, terms, owner, fences } = this;
    const since = this.#offeredAt;
    const now = resource.client.clock.now();
    if (since === undefined || now - since > terms.leaseMs / 3) return undefined;
    // Only a lock lets the next one in when it is given back, and the grant of a lock says no more than this.
    const answer = { kind: 'granted', fence, fences, remainingMs: terms.leaseMs } as G;
    const grant = new Grant(resource, owner, answer, since, terms.leaseMs, terms.renewed);
    grant.handedOffAt(now);
    return grant;
  }

  withdraw() {
    // A place in line may outlive a short lease.
    return giveBack(
      this.resource,
      this.owner,
      Math.max(this.terms.leaseMs, this.resource.client.renewalLeaseMs),
    );
  }

  /** The stopwatch started before the call was sent; an answer that comes after the deadline is no grant (soundness 2). */
  judge(answer: G | Busy | Refusal, sentAt: number): Attempt<Admitted<G>> {
    if (answer.kind === 'busy') {
      this.isWaiting = true;
      return { kind: 'out', againInMs: answer.againInMs, behind: answer.behind };
    }
    if (answer.kind === 'refused') throw answer.error;
    const { resource, terms } = this;
    return this.#judgeGrant(new Grant(resource, this.owner, answer, sentAt, terms.leaseMs, terms.renewed));
  }

  #judgeGrant(grant: Grant<G>): Attempt<Admitted<G>> {
    const { resource } = this;
    if (grant.deadline <= resource.client.clock.now()) {
      resource.client.background(this.withdraw());
      return { kind: 'in', value: TOO_LATE };
    }
    return { kind: 'in', value: grant };
  }
}
