/**
 * Ignores how a call ends: of a client that is about to die, because not every harness keeps such a call pending, or of one that the
 * case awaits later, if it comes so far.
 */
export function ignoreOutcome(call: Promise<unknown>): void {
  call.catch(() => undefined);
}
