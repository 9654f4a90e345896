import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import type { Grant } from '../../core/grants/grant.ts';
import { tellAcquired } from '../../core/grants/grant-events.ts';
import { holdAtLeast } from '../../core/grants/min-hold.ts';
import type { Gate } from '../../core/queues/gate.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import { GrantHold } from '../hold.ts';
import { keepForOwner } from './keep-for-owner.ts';

/** The outermost hold of a grant that came through the gate. `key`: under what an explicit owner keeps its hold stack. */
export function holdGrant(
  gate: Gate,
  grant: Grant | null,
  { minHoldMs, trace }: AcquireTerms,
  owner: ExplicitOwner | undefined,
  key: string,
  since: number | undefined,
): GrantHold | null {
  if (grant === null) return null;
  // Here and not with the grant: what is given back before its owner has it ends at once.
  if (minHoldMs !== undefined) holdAtLeast(grant, minHoldMs, false);
  const hold = new GrantHold(grant, gate, grant.takeFence());
  if (owner !== undefined) keepForOwner(owner, key, hold);
  if (since !== undefined) tellAcquired(grant, since, trace);
  return hold;
}
