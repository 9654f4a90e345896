/** How much earlier than the store a holder stops believing: clocks differ in rate, and to be told takes a moment. */
export function safetyMarginMs(leaseMs: number): number {
  return leaseMs * 0.01 + 20;
}
