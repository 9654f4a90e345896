/** How much earlier than the store a holder stops believing: clocks differ in rate, and to be told takes a moment. */
export function safetyMarginMs(leaseMs: number): number {
  return leaseMs * 0.01 + 20;
}

/**
 * For how long a holder believes in what remains. The margin of the lease alone is too small for a hold with `minHoldMs`, which
 * has more than its lease: clocks drift apart for all of that time (soundness 6).
 */
export function believedMs(remainingMs: number, leaseMs: number): number {
  return remainingMs - safetyMarginMs(Math.max(leaseMs, remainingMs));
}
