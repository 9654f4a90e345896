import { asksForMore, enterBehindSiblings } from '../../core/reentry/reentry.ts';
import { openScope, type Place, Scope } from '../../core/reentry/scope.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { extendGrant } from '../../core/grants/extend-grant.ts';
import { holdAtLeast, outlasts } from '../../core/grants/min-hold.ts';
import { type ErrorSubject, ReentryError } from '../../spi/errors.ts';
import { type MaybeAsync, isPending } from '../../spi/maybe-async.ts';
import type { GrantHold } from '../hold.ts';
import { releaseQuietly } from '../release-at-end.ts';
import type { LockParts } from './lock-parts.ts';

/** The code that asks has no hold any more: it is to enter as a new owner. */
export const AS_NEW_OWNER = Symbol('as a new owner');

/** Where a re-entry comes from. */
export interface Origin {
  /** The scope that the caller runs in; none if it names an explicit owner. */
  readonly scope: Scope | undefined;
  /** It is taken for a `run`, which excludes the other branches of its scope; else for the scope as a whole. */
  readonly forRun: boolean;
}

/** From inside a `run`: re-entrant with what its own code holds, behind the branches of it that are inside. */
export function reenterFrom(
  parts: LockParts,
  scope: Scope,
  terms: AcquireTerms,
  forRun: boolean,
): MaybeAsync<GrantHold | null | typeof AS_NEW_OWNER> {
  const { holdStack } = scope;
  if (!holdStack.isHeldIn(scope)) return AS_NEW_OWNER;
  holdStack.grant.throwIfLost();
  const { client, subject } = parts.holdable;
  if (!holdStack.isFreeFor(scope)) {
    if (terms.once) return null;
    terms.trace?.waits();
    return enterBehindSiblings(client, scope, forRun, subject, terms, () =>
      reenterFrom(parts, scope, terms, forRun),
    );
  }
  if (holdStack.arriving === undefined) return reenter(parts, holdStack, terms, { scope, forRun });
  if (terms.once) return null;
  throw simultaneous(subject);
}

/** One more hold of a hold stack, which is lengthened first if this one asks for more. */
export function reenter(
  parts: LockParts,
  holdStack: HoldStack,
  terms: AcquireTerms,
  { scope, forRun }: Origin,
): MaybeAsync<GrantHold> {
  const { grant } = holdStack;
  grant.throwIfLost();
  const hold = (holdStack.innermost as GrantHold).reenter(parts.gate());
  hold.scope = forRun ? new Scope(parts.place, hold) : scope;
  const isOfScope = scope !== undefined && !forRun;
  if (isOfScope) holdStack.beginArrival(hold);
  const isShort = asksForMore(grant, terms) || outlasts(grant, terms.minHoldMs);
  const lengthened = isShort ? lengthen(parts, hold, terms) : hold;
  if (!isOfScope) return lengthened;
  if (isPending(lengthened)) return lengthened.finally(() => holdStack.endArrival(hold));
  // In the microtask before the one in which the caller goes on: what asks until then is another branch.
  queueMicrotask(() => holdStack.endArrival(hold));
  return hold;
}

async function lengthen({ holdable }: LockParts, hold: GrantHold, terms: AcquireTerms): Promise<GrantHold> {
  const { grant } = hold;
  const { minHoldMs } = terms;
  const leaseMs = asksForMore(grant, terms) ? terms.leaseMs : 0;
  try {
    await extendGrant(grant, Math.max(leaseMs, minHoldMs ?? 0), minHoldMs);
    hold.throwIfLost();
  } catch (error) {
    await releaseQuietly(hold);
    throw error;
  }
  // Here and not with the request: a re-entry that fails keeps nothing taken after the release of the others.
  if (minHoldMs !== undefined) holdAtLeast(grant, minHoldMs, true);
  if (terms.renewed) holdable.client.keeper.renewFromNowOn(grant);
  return hold;
}

/**
 * An explicit owner that would wait for the `run` around the call. Whether that run awaits the call cannot be seen from
 * here; if it does, neither ever ends.
 */
export function refuseToWaitForOwnRun(rivals: readonly Place[], label: string, subject: ErrorSubject): void {
  for (const place of rivals) {
    const scope = openScope(place);
    if (scope !== undefined && scope.holdStack.grant.open && scope.holdStack.isHeldIn(scope)) {
      throw new ReentryError(
        `${subject.resource} was asked for by the owner ${JSON.stringify(label)} inside a run that has it as another owner: it would wait for that run to end. ` +
          'Pass the owner to the run, leave it out inside, or ask outside the run.',
        subject,
      );
    }
  }
}

function simultaneous(subject: ErrorSubject): ReentryError {
  return new ReentryError(
    `${subject.resource} was asked for twice at the same time inside one run, the first time by acquire(): it is unknown which branch has it, so neither can wait for the other. ` +
      'Use run() in each branch, which excludes the others, or await the first acquire() before the next call.',
    subject,
  );
}
