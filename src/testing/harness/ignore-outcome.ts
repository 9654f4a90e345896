/** A call of a client that is about to die. However it ends, no program is left to hear of it: not every harness keeps silent. */
export function ignoreOutcome(call: Promise<unknown>): void {
  call.catch(() => undefined);
}
