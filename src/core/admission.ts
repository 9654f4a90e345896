import { SessionEndedError } from '../spi/errors.ts';
import { type Eventually, isLater, type Later, whenSettled } from '../spi/eventually.ts';
import type { OwnerId } from '../spi/rule.ts';
import type { Busy, Granted } from '../spi/verbs/holding.ts';
import { type Client, closedError } from './client.ts';
import { giveBack } from './give-back.ts';
import { Grant } from './grant.ts';
import type { Asking, Refusal, Resource } from './resource.ts';
import {
  type Attempt,
  type Patience,
  settledInPatience,
  type StandBack,
  type Turn,
  waitFor,
} from './wait.ts';

/** On what terms somebody asks for a hold. */
export interface Terms extends Patience {
  readonly leaseMs: number;
  /** Renewed by the keeper, or left to end by itself. */
  readonly renewed: boolean;
  /** A single attempt: no waiting, no trace. */
  readonly once: boolean;
  /** The owner of a hold that this one belongs to: the read side is taken under a write. */
  readonly under?: OwnerId;
}

/** One attempt that was granted, but whose answer came when the lease could already have ended. */
const TOO_LATE = 'too-late';
type Admitted<G extends Granted> = Grant<G> | typeof TOO_LATE;

/**
 * Brings one owner into the store and its grant back: a single attempt first, then the wait loop. Null if a single
 * attempt was all that was wanted and somebody else is in.
 */
export function admit<G extends Granted>(
  resource: Resource<G>,
  terms: Terms,
  fences: number,
  standBack?: StandBack,
): Eventually<Grant<G> | null> {
  if (standBack !== undefined || (!terms.once && resource.hears?.() === true)) {
    return admitAs(new Candidate(resource, terms, fences), standBack);
  }
  const { client } = resource;
  const owner = newOwner(resource);
  const { decidedAt } = resource;
  const sentAt = decidedAt === undefined ? client.clock.now() : -Infinity;
  const answer = resource.acquire(asking(client, owner, terms, fences));
  // Engines that answer at once come and go without a promise, and no time has passed that could make the answer late.
  if (!isLater(answer)) {
    if (answer.kind === 'granted') {
      const since = decidedAt === undefined ? sentAt : decidedAt();
      return kept(new Grant(resource, owner, answer, since, terms.leaseMs, terms.renewed));
    }
    if (answer.kind === 'refused') throw answer.error;
    return terms.once ? null : admitAs(new Candidate(resource, terms, fences, owner));
  }
  return admitSoon(new Candidate(resource, terms, fences, owner), answer, sentAt);
}

function admitSoon<G extends Granted>(
  candidate: Candidate<G>,
  answer: Later<G | Busy | Refusal>,
  sentAt: number,
): Eventually<Grant<G> | null> {
  const { resource, terms } = candidate;
  const { client } = resource;
  // Until it is kept or given back: closing must not overtake it.
  client.callBegins();
  const patient = isUnlimited(terms) ? answer : settledInPatience(client, resource.subject, terms, answer);
  return whenSettled(
    patient,
    (answered) => {
      const admitted = decided(candidate, answered, sentAt);
      // If it goes on as a wait, that is known to the client by now.
      client.callEnds();
      return admitted;
    },
    (error) => {
      const again = givenUp(candidate, error);
      client.callEnds();
      return again;
    },
  );
}

/** What became of a first attempt. Never throws. */
function decided<G extends Granted>(
  candidate: Candidate<G>,
  answer: G | Busy | Refusal,
  sentAt: number,
): Grant<G> | null | Promise<Grant<G> | null> {
  let attempt: Attempt<Admitted<G>>;
  try {
    attempt = candidate.judge(answer, sentAt);
  } catch (error) {
    return givenUp(candidate, error);
  }
  const { resource, terms, fences } = candidate;
  if (attempt.kind === 'out') return terms.once ? null : admitAs(candidate);
  if (attempt.value === TOO_LATE) return terms.once ? null : admitAs(new Candidate(resource, terms, fences));
  try {
    return candidate.kept(attempt.value);
  } catch (error) {
    return startedAgain(candidate, error);
  }
}

/** It was given up or has failed, and may have been granted all the same. */
function givenUp<G extends Granted>(candidate: Candidate<G>, error: unknown): Promise<Grant<G> | null> {
  candidate.resource.client.background(candidate.withdraw());
  return startedAgain(candidate, error);
}

async function startedAgain<G extends Granted>(
  { resource, terms, fences }: Candidate<G>,
  error: unknown,
): Promise<Grant<G> | null> {
  if (!mayStartAgain(error, terms)) throw error;
  // The store was never asked on behalf of who we are now: also a single attempt is still to be made.
  return terms.once ? admit(resource, terms, fences) : admitAs(new Candidate(resource, terms, fences));
}

/** Nothing but its answer ends such an attempt: to listen for an abort or a time-out would be to build an ear for nothing. */
function isUnlimited(terms: Terms): boolean {
  return terms.signal === undefined && terms.until === Infinity;
}

/**
 * From here on the keeper looks after it. Not earlier: the answer to an attempt that was given up arrives as well, and
 * a hold that nobody has would be renewed for ever.
 */
function kept<G extends Granted>(grant: Grant<G>): Grant<G> {
  grant.resource.client.keeper.keep(grant);
  return grant;
}

/**
 * The same for an answer that was on its way, unless the world has changed meanwhile: a hold of an identity that has
 * ended since was not there to be lost with the others, and one of a closed client would not be given back.
 */
export function keptUnlessOver<G extends Granted>(grant: Grant<G>, generation: number): Grant<G> {
  const { client } = grant.resource;
  if (client.closed || client.ids.generation !== generation) {
    grant.giveBack();
    const { subject } = grant.resource;
    throw client.closed ? closedError(subject) : new SessionEndedError(subject);
  }
  return kept(grant);
}

/** Waits as one owner, and starts again as a new one when its answer came too late or its session ended. */
async function admitAs<G extends Granted>(
  first: Candidate<G>,
  standBack?: StandBack,
): Promise<Grant<G> | null> {
  const { resource, terms, fences } = first;
  const { client, kind, name } = resource;
  if (client.events.contended.wanted) {
    client.events.contended.emit({ kind, name, engine: client.label, owner: first.owner });
  }
  for (let candidate = first; ; candidate = new Candidate(resource, terms, fences)) {
    try {
      const admitted = await waitFor(client, candidate, terms, standBack);
      if (admitted !== TOO_LATE) return candidate.kept(admitted);
    } catch (error) {
      if (!mayStartAgain(error, terms)) throw error;
    }
  }
}

/** As somebody new after the session ended; but not in the name of a hold that ended with it. */
function mayStartAgain(error: unknown, terms: Terms): boolean {
  return error instanceof SessionEndedError && terms.under === undefined;
}

/** A fresh id for each acquisition that reaches the store (soundness 1). */
function newOwner({ client, newOwner: own }: Pick<Resource, 'client' | 'newOwner'>): OwnerId {
  return own === undefined ? client.ids.next() : own();
}

function asking(client: Client, owner: OwnerId, terms: Terms, fences: number): Asking {
  const { leaseMs, once } = terms;
  const ask = { owner, leaseMs, fences, wait: !once, interestMs: client.renewalLeaseMs };
  return terms.under === undefined ? ask : { ...ask, under: terms.under };
}

/** One wire owner on its way to a grant. Its id is fixed for the whole wait and gone afterwards (soundness 1). */
class Candidate<G extends Granted> implements Turn<Admitted<G>> {
  readonly resource: Resource<G>;
  readonly terms: Terms;
  readonly fences: number;
  readonly owner: OwnerId;
  readonly #generation: number;
  #listens = false;
  /** When the first request was sent after which whoever gives it back may let this owner in. */
  #offeredAt: number | undefined;
  /** The grant that came of that. */
  #letIn: Grant<G> | undefined;

  constructor(resource: Resource<G>, terms: Terms, fences: number, owner?: OwnerId) {
    this.resource = resource;
    this.terms = terms;
    this.fences = fences;
    this.owner = owner ?? newOwner(resource);
    this.#generation = resource.client.ids.generation;
  }

  kept(grant: Grant<G>): Grant<G> {
    return keptUnlessOver(grant, this.#generation);
  }

  get subject() {
    return this.resource.subject;
  }

  attempt(): Eventually<Attempt<Admitted<G>>> {
    const { resource, terms, owner } = this;
    if (this.#letIn !== undefined) return this.#judgeGrant(this.#letIn);
    const sentAt = resource.client.clock.now();
    const ask = asking(resource.client, owner, terms, this.fences);
    // A lease that is not renewed would be counted from an earlier request than the one that brought it.
    const letIn = this.#listens && terms.renewed && this.fences === 1;
    if (letIn) this.#offeredAt ??= sentAt;
    const answer = resource.acquire(letIn ? { ...ask, letIn } : ask);
    return whenSettled(answer, (soon) => this.judge(soon, sentAt));
  }

  watch(heard: () => void) {
    this.#listens = true;
    return this.resource.watch(this.owner, heard, (fence) => {
      this.#letIn ??= this.#letInWith(fence);
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
  #letInWith(fence: number): Grant<G> | undefined {
    const { resource, terms, owner } = this;
    const since = this.#offeredAt;
    if (since === undefined || resource.client.clock.now() - since > terms.leaseMs / 3) return undefined;
    // Only locks let in by themselves, and of those a grant is no more than this.
    const answer = { kind: 'granted', fence, fences: 1, remainingMs: terms.leaseMs } as G;
    return new Grant(resource, owner, answer, since, terms.leaseMs, terms.renewed);
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
    if (answer.kind === 'busy') return { kind: 'out', againInMs: answer.againInMs };
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
