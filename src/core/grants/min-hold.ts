import type { MinHold } from '../../spi/verbs/holding.ts';
import type { Grant } from './grant.ts';
import { RenewalRequests } from './renewal-requests.ts';

/** A hold of this grant is to last at least so long from now on. `isInner`: its owner had the grant before. */
export function holdAtLeast(grant: Grant, minHoldMs: number, isInner: boolean): void {
  const { holdable, grantedAt, leaseMs, answer } = grant;
  // The store counts from the fence. That may be behind the grant: by what the answer says that less remains than was asked
  // for, and by what has passed since, for which the stopwatch of this client started early enough.
  const behindMs = isInner
    ? holdable.client.clock.now() - grantedAt
    : Math.max(leaseMs, minHoldMs) - answer.remainingMs;
  holdable.client.names.announcer?.noteOutliving();
  const requests = (grant.requests ??= new RenewalRequests());
  requests.minHoldMs = Math.max(requests.minHoldMs ?? 0, minHoldMs + Math.max(0, behindMs));
}

/** Whether a re-entry asks for a longer time than the store knows of: a client that dies sends no release that would say so. */
export function outlasts({ holdable, grantedAt, requests }: Grant, minHoldMs: number | undefined): boolean {
  if (minHoldMs === undefined) return false;
  return holdable.client.clock.now() - grantedAt + minHoldMs > (requests?.minHoldMs ?? 0);
}

/** What a release of the grant asks for: undefined if the hold may end at once. */
export function minHoldOf({ requests, answer }: Grant): MinHold | undefined {
  const ms = requests?.minHoldMs;
  return ms === undefined ? undefined : { ms, fence: answer.fence };
}
