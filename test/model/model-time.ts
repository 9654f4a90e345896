/**
 * Time in a program does not pass by itself: a step says how much of it is over, and at once everything that Redis keeps
 * for the program's name ends so much sooner (see `stored.ts`), every request that is still on its way is so much older,
 * and the clock of the clients and the server's clock as they see it have moved on (see `program-driver.ts`). To wait
 * would take days; to use leases of a few milliseconds would leave it to the load of the machine which of two things
 * comes first.
 *
 * The few real milliseconds that a program takes remain. They must never decide anything, so deadlines are kept apart:
 * leases are whole units, and each passing of time is some units and at least one tick more. All ticks of a program
 * together are less than a unit, so that no deadline is ever closer to now than a tick. Half a tick is then room enough
 * for real time, although a deadline in the line of a fair lock is made from others and has a share in the delay of each.
 * A program that took too long is run again.
 */
export const TICK_MS = 110_000;
export const UNIT_MS = 1000 * TICK_MS;
/** What is closer than this is the same time. */
export const TOLERANCE_MS = 50_000;
/** After this much real time a program decides nothing. */
export const TOO_SLOW_MS = 4000;
/** Less than a tick, which is what passes until a request is sent again or given up. */
export const COMMAND_TIMEOUT_MS = 100_000;
/** A copy is late after two of them, and marks are kept for longer: a few ticks decide about all that. */
export const SHORT_PASSES_MS: readonly number[] = [1, 2, 3, 5].map((ticks) => ticks * TICK_MS);

/** Whole units and the tick that keeps deadlines apart. */
export function unitsMs(units: number): number {
  return units * UNIT_MS + TICK_MS;
}
