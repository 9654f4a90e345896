/** Redis counts leases in whole milliseconds, and a lease of none would end before it began. */
export function ceilMs(ms: number): number {
  return Math.max(1, Math.floor(ms));
}
