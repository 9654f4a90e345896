import { SessionEndedError } from '../../spi/errors.ts';
import { type MaybeAsync, isPending, type Pending, mapAnswer } from '../../spi/maybe-async.ts';
import type { Busy, Granted } from '../../spi/verbs/holding.ts';
import { type Admitted, asking, PendingAcquire, newOwner, TOO_LATE } from './pending-acquire.ts';
import { Contact } from './contact.ts';
import { Grant } from './grant.ts';
import { kept } from './keep-grant.ts';
import { provesAnswer } from './proves-answer.ts';
import type { Refusal, Resource } from './resource.ts';
import { mayHaveLeftSomething, StoreFullError } from './store-full-error.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import { type Attempt, settledInPatience, type StandBack, waitFor } from './wait.ts';

/** The local line whose head goes to the store: those behind the head see by its contact whether the store answers. */
export interface LineBehind {
  contact: Contact | undefined;
}

/**
 * Brings one owner into the store and its grant back: a single attempt first, then the wait loop. Null if a single
 * attempt was all that was wanted and somebody else is in.
 */
export function admit<G extends Granted>(
  resource: Resource<G>,
  terms: AcquireTerms,
  fences: number,
  standBack?: StandBack,
  line?: LineBehind,
): MaybeAsync<Grant<G> | null> {
  if (standBack !== undefined || (!terms.once && resource.traits.isSubscribed(resource.name))) {
    return admitAs(new PendingAcquire(resource, terms, fences), contactOf(resource, terms), line, standBack);
  }
  const { client } = resource;
  const owner = newOwner(resource);
  const { decidedAt } = resource.traits;
  const sentAt = decidedAt === undefined ? client.clock.now() : -Infinity;
  const answer = resource.acquire(asking(client, owner, terms, fences));
  // Engines that answer at once come and go without a promise, and no time has passed that could make the answer late.
  if (!isPending(answer)) {
    if (answer.kind === 'granted') {
      const since = decidedAt === undefined ? sentAt : decidedAt();
      return kept(new Grant(resource, owner, answer, since, terms.leaseMs, terms.renewed));
    }
    if (answer.kind === 'refused') throw answer.error;
    return terms.once
      ? null
      : admitAs(new PendingAcquire(resource, terms, fences, owner), contactWith(resource, true), line);
  }
  return admitSoon(new PendingAcquire(resource, terms, fences, owner), answer, sentAt, line);
}

function admitSoon<G extends Granted>(
  candidate: PendingAcquire<G>,
  answer: Pending<G | Busy | Refusal>,
  sentAt: number,
  line: LineBehind | undefined,
): MaybeAsync<Grant<G> | null> {
  const { resource, terms } = candidate;
  const { client } = resource;
  // Until it is kept or given back: closing must not overtake it.
  client.callBegins();
  const isTimed = !isUnlimited(terms);
  const contact = isTimed || terms.followed !== undefined ? contactOf(resource, terms) : undefined;
  if (terms.followed !== undefined) {
    contact!.asked(client.clock.now(), true);
    terms.followed.source = contact;
  }
  const patient = isTimed ? settledInPatience(client, resource.subject, terms, answer, contact) : answer;
  return mapAnswer(
    patient,
    (answered) => {
      contact?.answered(true);
      const admitted = decided(candidate, answered, sentAt, line);
      // If it goes on as a wait, that is known to the client by now.
      client.callEnds();
      return admitted;
    },
    (error) => {
      if (provesAnswer(error)) contact?.answered(true);
      const again = givenUp(candidate, error, line);
      client.callEnds();
      return again;
    },
  );
}

/** What became of a first attempt. Never throws. */
function decided<G extends Granted>(
  candidate: PendingAcquire<G>,
  answer: G | Busy | Refusal,
  sentAt: number,
  line: LineBehind | undefined,
): Grant<G> | null | Promise<Grant<G> | null> {
  let attempt: Attempt<Admitted<G>>;
  try {
    attempt = candidate.judge(answer, sentAt);
  } catch (error) {
    return givenUp(candidate, error, line);
  }
  const { resource, terms, fences } = candidate;
  if (attempt.kind === 'out') {
    const wasAsked = attempt.behind === undefined;
    return terms.once ? null : admitAs(candidate, contactWith(resource, wasAsked), line);
  }
  if (attempt.value === TOO_LATE) {
    return terms.once
      ? null
      : admitAs(new PendingAcquire(resource, terms, fences), contactWith(resource, true), line);
  }
  try {
    return candidate.kept(attempt.value);
  } catch (error) {
    return startedAgain(candidate, error, line);
  }
}

/** It was given up or has failed, and may have been granted all the same. */
function givenUp<G extends Granted>(
  candidate: PendingAcquire<G>,
  error: unknown,
  line: LineBehind | undefined,
): Promise<Grant<G> | null> {
  if (error instanceof StoreFullError && candidate.isWaiting) {
    const contact = contactWith(candidate.resource, true);
    contact.refusedForRoom(error);
    return admitAs(candidate, contact, line);
  }
  if (mayHaveLeftSomething(error)) candidate.resource.client.background(candidate.withdraw());
  return startedAgain(candidate, error, line);
}

async function startedAgain<G extends Granted>(
  { resource, terms, fences }: PendingAcquire<G>,
  error: unknown,
  line: LineBehind | undefined,
): Promise<Grant<G> | null> {
  if (!mayStartAgain(error, terms)) throw error;
  // The store was never asked on behalf of who we are now: also a single attempt is still to be made.
  if (terms.once) return admit(resource, terms, fences);
  return admitAs(new PendingAcquire(resource, terms, fences), contactOf(resource, terms), line);
}

/** What an acquisition knows of the store before its first attempt. */
function contactOf(resource: Resource, { contact }: AcquireTerms): Contact {
  return contact ?? contactWith(resource, false);
}

export function contactWith(
  resource: Pick<Resource, 'traits'>,
  isAnswered: boolean,
  owedSince?: number,
): Contact {
  return new Contact(isAnswered, resource.traits.attemptsWait, owedSince);
}

/** Nothing but its answer ends such an attempt: to listen for an abort or a time-out would be to build an ear for nothing. */
function isUnlimited(terms: AcquireTerms): boolean {
  return terms.signal === undefined && terms.until === Infinity;
}

/** Waits as one owner, and starts again as a new one when its answer came too late or its session ended. */
async function admitAs<G extends Granted>(
  first: PendingAcquire<G>,
  contact: Contact,
  line: LineBehind | undefined,
  standBack?: StandBack,
): Promise<Grant<G> | null> {
  const { resource, terms, fences } = first;
  const { client, kind, name } = resource;
  if (line !== undefined) line.contact = contact;
  if (terms.followed !== undefined) terms.followed.source = contact;
  if (client.events.contended.wanted) {
    client.events.contended.emit({ kind, name, engine: client.label, owner: first.owner });
  }
  for (let candidate = first; ; candidate = new PendingAcquire(resource, terms, fences)) {
    try {
      const admitted = await waitFor(client, candidate, terms, standBack, contact);
      if (admitted !== TOO_LATE) return candidate.kept(admitted);
    } catch (error) {
      if (!mayStartAgain(error, terms)) throw error;
    }
  }
}

/** As somebody new after the session ended; but not in the name of a hold that ended with it. */
function mayStartAgain(error: unknown, terms: AcquireTerms): boolean {
  return error instanceof SessionEndedError && terms.under === undefined;
}
