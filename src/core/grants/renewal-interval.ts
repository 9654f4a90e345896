/**
 * How long after one renewal the next is due: a third of the lease, so that two renewals in a row may fail before a hold is
 * lost. Redisson renews as often. A client renews its grants, and a quorum lock its majority, at this interval.
 */
export function renewalIntervalMs(leaseMs: number): number {
  return leaseMs / 3;
}
