/** Ignores how a call of a client ends that is about to die: not every harness keeps such a call pending. */
export function ignoreOutcome(call: Promise<unknown>): void {
  call.catch(() => undefined);
}
