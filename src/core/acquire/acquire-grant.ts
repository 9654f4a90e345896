import { SessionEndedError } from '../../spi/errors.ts';
import { isPending, mapAnswerFor, type MaybeAsync, type Pending } from '../../spi/maybe-async.ts';
import type { Busy, Granted } from '../../spi/verbs/holding.ts';
import type { AcquireTerms } from './acquire-terms.ts';
import type { Contact } from './contact.ts';
import { followHead } from './follow-head.ts';
import { Grant } from '../grants/grant.ts';
import type { Holdable, Refused } from './holdable.ts';
import { type Judged, type LineBehind, PendingAcquire, TOO_LATE } from './pending-acquire.ts';
import { provesAnswer } from '../failures/proves-answer.ts';
import { mayHaveLeftSomething, StoreFullError } from '../failures/store-full-error.ts';
import { type Attempt, type YieldPause, waitFor } from './wait.ts';
import { awaitStep } from './awaited-step.ts';

/**
 * Acquires for a new owner. Answers null if the terms allow a single attempt and another owner holds the thing.
 *
 * Sends the first attempt itself, and makes a {@link PendingAcquire} only if something is left to wait for: an engine that
 * answers at once grants without that object and without a promise (decision 11). Watches first instead where a pause for
 * others comes before the attempt, or where a watch costs no request (`isSubscribed`).
 */
export function acquireGrant<G extends Granted>(
  holdable: Holdable<G>,
  terms: AcquireTerms,
  fences: number,
  line?: LineBehind,
  pause?: YieldPause,
): MaybeAsync<Grant<G> | null> {
  const { client, name, protocol, traits } = holdable;
  if (pause !== undefined || (!terms.once && traits.isSubscribed(name))) {
    const pending = new PendingAcquire(holdable, terms, fences, line);
    const contact = contactBefore(holdable, terms);
    // From here on, although the watch goes first: a single attempt that comes in this turn stands behind a request.
    const isFollowed = line !== undefined || terms.followed !== undefined;
    if (pause === undefined && isFollowed) contact.noteRequest(client.clock.now(), true);
    return acquireByWaiting(pending, contact, pause);
  }
  const owner = holdable.newOwner();
  const { decidedAt } = traits;
  const sentAt = decidedAt === undefined ? client.clock.now() : -Infinity;
  const answer = protocol.acquire(name, holdable.ask(owner, terms, fences));
  if (isPending(answer))
    return settleFirst(new PendingAcquire(holdable, terms, fences, line, owner), answer, sentAt);
  if (answer.kind === 'granted') {
    // No time has passed that could make the answer late, and none in which the client could have closed.
    const since = decidedAt === undefined ? sentAt : decidedAt();
    const grant = new Grant(holdable, owner, answer, since, terms.leaseMs, terms.renewed);
    client.keeper.keep(grant);
    return grant;
  }
  if (answer.kind !== 'busy') throw holdable.refusal(answer);
  if (terms.once) return null;
  const pending = new PendingAcquire(holdable, terms, fences, line, owner);
  return acquireByWaiting(pending, holdable.contact(true));
}

/** Waits as one owner, and starts again as a new one when its answer came too late or its session ended. */
export async function acquireByWaiting<G extends Granted>(
  first: PendingAcquire<G>,
  contact: Contact,
  pause?: YieldPause,
): Promise<Grant<G>> {
  const { holdable, terms, line } = first;
  const { client } = holdable;
  if (line !== undefined) line.contact = contact;
  if (terms.followed !== undefined) terms.followed.source = contact;
  terms.trace?.waits();
  first.tellContended();
  for (let pending = first; ; pending = pending.successor()) {
    terms.trace?.asksAs(pending.owner);
    client.selfWaits.add(pending);
    try {
      const judged = await waitFor(client, pending, terms, pause, contact);
      if (judged !== TOO_LATE) return pending.keep(judged);
    } catch (error) {
      if (!mayStartAgain(error, terms)) throw error;
    } finally {
      client.selfWaits.delete(pending);
    }
  }
}

/** Takes the answer to a first attempt that is under way. */
function settleFirst<G extends Granted>(
  pending: PendingAcquire<G>,
  answer: Pending<G | Busy | Refused>,
  sentAt: number,
): MaybeAsync<Grant<G> | null> {
  const { holdable, terms } = pending;
  const { client } = holdable;
  pending.sentAt = sentAt;
  terms.trace?.asksAs(pending.owner);
  // Until it is kept or given back: closing must not overtake it.
  client.beginCall();
  // Nothing but its answer ends an attempt without a limit: to listen for an abort or a time-out would be work for nothing.
  const isLimited = terms.signal !== undefined || terms.until !== Infinity;
  if (isLimited || terms.followed !== undefined) pending.contact = contactBefore(holdable, terms);
  if (terms.followed !== undefined) {
    pending.contact!.noteRequest(client.clock.now(), true);
    terms.followed.source = pending.contact;
  }
  const limited = isLimited ? awaitStep(client, holdable.subject, terms, answer, pending.contact) : answer;
  return mapAnswerFor(pending, limited, firstAnswered<G>, firstFailed<G>);
}

function firstAnswered<G extends Granted>(
  pending: PendingAcquire<G>,
  answer: G | Busy | Refused,
): MaybeAsync<Grant<G> | null> {
  if (answer.kind !== 'busy' || answer.behind === undefined) pending.contact?.noteAnswer(true);
  else pending.contact?.standBehind(answer.behind);
  const settled = settleAnswer(pending, answer);
  // If it goes on as a wait, that is known to the client by now.
  pending.holdable.client.endCall();
  return settled;
}

function firstFailed<G extends Granted>(
  pending: PendingAcquire<G>,
  error: unknown,
): MaybeAsync<Grant<G> | null> {
  if (provesAnswer(error)) pending.contact?.noteAnswer(true);
  const again = giveUp(pending, error);
  pending.holdable.client.endCall();
  return again;
}

/** Never throws: `endCall` must follow. */
function settleAnswer<G extends Granted>(
  pending: PendingAcquire<G>,
  answer: G | Busy | Refused,
): MaybeAsync<Grant<G> | null> {
  let attempt: Attempt<Judged<G>>;
  try {
    attempt = pending.judge(answer, pending.sentAt);
  } catch (error) {
    return giveUp(pending, error);
  }
  const { holdable, terms } = pending;
  if (attempt.kind === 'out') {
    const { behind } = attempt;
    if (!terms.once) return acquireByWaiting(pending, holdable.contact(behind === undefined));
    return followHead(holdable, behind, terms, () => acquireGrant(holdable, terms, pending.fences));
  }
  if (attempt.value === TOO_LATE)
    return terms.once ? null : acquireByWaiting(pending.successor(), holdable.contact(true));
  try {
    return pending.keep(attempt.value);
  } catch (error) {
    return startAgain(pending, error);
  }
}

/** The first attempt was given up or has failed, and may have been granted all the same. */
function giveUp<G extends Granted>(pending: PendingAcquire<G>, error: unknown): Promise<Grant<G> | null> {
  const { holdable } = pending;
  if (error instanceof StoreFullError && pending.isWaiting) {
    const contact = holdable.contact(true);
    contact.noteFullStore(error);
    return acquireByWaiting(pending, contact);
  }
  if (mayHaveLeftSomething(error)) holdable.client.background(pending.withdraw(error));
  return startAgain(pending, error);
}

async function startAgain<G extends Granted>(
  pending: PendingAcquire<G>,
  error: unknown,
): Promise<Grant<G> | null> {
  const { holdable, terms, fences } = pending;
  if (!mayStartAgain(error, terms)) throw error;
  // The store was never asked on behalf of who we are now: also a single attempt is still to be made.
  if (terms.once) return acquireGrant(holdable, terms, fences);
  return acquireByWaiting(pending.successor(), contactBefore(holdable, terms));
}

/** What an acquisition knows of the store before its first attempt. */
function contactBefore(holdable: Holdable, { contact }: AcquireTerms): Contact {
  return contact ?? holdable.contact(false);
}

/** As a new owner after the session ended; but not in the name of a hold that ended with it. */
function mayStartAgain(error: unknown, { under }: AcquireTerms): boolean {
  return error instanceof SessionEndedError && under === undefined;
}
