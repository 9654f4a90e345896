/** How much earlier than the store a holder stops trusting its lease. */
export function safetyMarginMs(leaseMs: number): number {
  return leaseMs * 0.01 + 20;
}
