import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import type { Grant } from '../grants/grant.ts';

/** A grant passes from owner to owner inside a process at most so often, and for so long, before other processes get their turn. */
export const MOST_HAND_OVERS = 64;
const LONGEST_RUN_MS = 50;

/** Whether a grant may pass to the next owner of this process instead of going back to the store (soundness 13). */
export function mayHandOver(grant: Grant, next: { readonly terms: AcquireTerms }): boolean {
  // What is to last after its release is no other owner's, and an owner that asks for that must ask the store.
  if (grant.requests?.minHoldMs !== undefined || next.terms.minHoldMs !== undefined) return false;
  if (!grant.renewed || !next.terms.renewed || grant.handOvers >= MOST_HAND_OVERS || grant.fencesLeft === 0)
    return false;
  const now = grant.holdable.client.clock.now();
  return now - grant.grantedAt < LONGEST_RUN_MS && isLong(grant, now);
}

/** Whether so much of the lease is left that the next one has time to work and to renew it. */
export function isLong(grant: Grant, now = grant.holdable.client.clock.now()): boolean {
  return grant.goodUntil - now >= grant.leaseMs / 3;
}
