/**
 * Calls it when all that follows from the present event has been done, and before the next event.
 *
 * A microtask of its own would come too early: whoever is resolved now goes on in a later one, and what it then does belongs
 * to this turn. The next tick alone would come too early as well, if the event is not a microtask: ticks go first.
 */
export function atEndOfTurn(call: () => void): void {
  queueMicrotask(() => process.nextTick(call));
}
