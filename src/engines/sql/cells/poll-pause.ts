/** The shortest pause: a look takes about as long. */
const SHORTEST_MS = 2;

/**
 * The pause before the next look at the rows, give or take a half: clients that began together drift apart. At most `pollMs`, and half of
 * the time for which no look has found a wake-up.
 *
 * A lock that is handed from process to process, as every fair lock and semaphore is, changes hands only as often as its waiters look: with
 * a pause of 50 ms it had 20 sections a second, however short they were. The tempting alternative, a short `pollMs`, is paid for by
 * waiters that wait for minutes. Here a wake-up costs a few looks soon after it, and a wait without one no look more.
 */
export function pollPauseMs(pollMs: number, quietMs: number, fraction: number): number {
  return Math.min(pollMs, Math.max(SHORTEST_MS, quietMs / 2)) * (0.5 + fraction);
}
