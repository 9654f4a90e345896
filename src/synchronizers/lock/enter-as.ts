import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { awaitFollowed } from '../../core/acquire/awaited-step.ts';
import { Followed } from '../../core/acquire/followed.ts';
import { followHead } from '../../core/acquire/follow-head.ts';
import { requestEndOf } from '../../core/failures/request-end.ts';
import { throwIfOver } from '../../core/acquire/wait-limit.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import { placeKey } from '../../core/reentry/scope.ts';
import { asPromise, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { GrantHold } from '../hold.ts';
import type { LockParts } from './lock-parts.ts';
import { reenter } from './reenter.ts';

/** Enters the gate of the lock as an owner that holds nothing there. */
export type EnterAnew = (terms: AcquireTerms) => MaybeAsync<GrantHold | null>;

/** The promise of an acquisition is for its own caller: the ones that follow it only wait for its end. */
function ignore(): void {}

/**
 * The acquisition that others of its owner follow, to its end. `over` notes in that step what it brought: behind one more
 * promise the next one that follows it would find neither the acquisition nor its hold, and enter a second time.
 */
async function lead(
  followed: Followed,
  entering: Promise<GrantHold | null>,
  over: (hold: GrantHold | null) => void,
): Promise<GrantHold | null> {
  followed.settled = entering.then(ignore, ignore);
  let hold: GrantHold | null = null;
  try {
    hold = await entering;
    followed.end('busy');
    return hold;
  } catch (error) {
    followed.end(requestEndOf(error));
    throw error;
  } finally {
    over(hold);
  }
}

/** As an explicit owner: re-entrant if it has the lock, and never twice on the way to it. */
export async function enterAs(
  parts: LockParts,
  owner: ExplicitOwner,
  terms: AcquireTerms,
  forRun: boolean,
  enterAnew: EnterAnew,
): Promise<GrantHold | null> {
  const { client, subject } = parts.holdable;
  const key = placeKey(parts.place);
  let before: Followed | undefined;
  for (let pending = owner.pending.get(key); pending !== undefined; pending = owner.pending.get(key)) {
    if (terms.once)
      return followHead(parts.holdable, pending, terms, () =>
        enterAs(parts, owner, terms, forRun, enterAnew),
      );
    terms.trace?.waits();
    before = pending;
    const contact = await awaitFollowed(client, subject, terms, pending);
    // In the step in which it goes on: behind one more promise an abort or a closing would be missed.
    throwIfOver(client, subject, terms, contact);
  }
  const holdStack = owner.holdStacks.get(key);
  if (holdStack !== undefined) return reenter(parts, holdStack, terms, { scope: undefined, forRun });
  const followed = new Followed();
  const entering = asPromise(enterAnew({ ...termsAfter(before, parts, terms), followed }));
  owner.pending.set(key, followed);
  return lead(followed, entering, () => owner.pending.delete(key));
}

/**
 * The read side under a write names the write, so that the store grants it, and has an id of its own: a late copy of an
 * earlier read's release would otherwise free a later one (soundness 1). The store has one hold for all that are taken
 * here; the second re-enters the first.
 */
export async function enterUnder(
  parts: LockParts,
  above: HoldStack,
  terms: AcquireTerms,
  forRun: boolean,
  enterAnew: EnterAnew,
): Promise<GrantHold | null> {
  const { client, subject } = parts.holdable;
  let before: Followed | undefined;
  while (above.readUnderWritePending !== undefined) {
    before = above.readUnderWritePending;
    if (terms.once)
      return followHead(parts.holdable, before, terms, () =>
        enterUnder(parts, above, terms, forRun, enterAnew),
      );
    terms.trace?.waits();
    const contact = await awaitFollowed(client, subject, terms, before);
    throwIfOver(client, subject, terms, contact);
  }
  const under = above.readUnderWrite;
  if (under !== undefined && under.grant.open)
    return reenter(parts, under, terms, { scope: undefined, forRun });
  const followed = new Followed();
  const own = { ...termsAfter(before, parts, terms), under: above.grant.owner, followed };
  const entering = asPromise(enterAnew(own));
  if (terms.followed !== undefined) terms.followed.source = followed;
  above.readUnderWritePending = followed;
  return lead(followed, entering, (hold) => {
    above.readUnderWritePending = undefined;
    if (hold !== null) above.readUnderWrite = hold.holdStack;
  });
}

/** An acquisition that has waited for another of its owner starts with what the store owes to that one. */
function termsAfter(
  before: Followed | undefined,
  { holdable }: LockParts,
  terms: AcquireTerms,
): AcquireTerms {
  if (before === undefined) return terms;
  const owedSince = before.owedSince() ?? holdable.client.clock.now();
  return { ...terms, contact: holdable.contact(true, owedSince) };
}
