import type { AcquireTerms } from '../acquire/acquire-terms.ts';
import type { Grant } from '../acquire/grant.ts';

/** A grant passes from owner to owner inside a process at most so often, and for so long, before other processes get their turn. */
export const MOST_HAND_OVERS = 64;
const LONGEST_RUN_MS = 50;

/** Whether a grant may pass to the next owner of this process instead of going back to the store (soundness 13). */
export function mayHandOver(grant: Grant, next: { readonly terms: AcquireTerms }): boolean {
  if (!grant.renewed || !next.terms.renewed || grant.handOvers >= MOST_HAND_OVERS || grant.fencesLeft === 0)
    return false;
  const now = grant.holdable.client.clock.now();
  return now - grant.grantedAt < LONGEST_RUN_MS && grant.goodUntil - now >= grant.leaseMs / 3;
}
