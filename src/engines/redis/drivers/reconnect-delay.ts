const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/**
 * How long one of our own connections waits before it tries again. It never gives up: a waiter whose connection for
 * messages had given up would notice nothing any more, and say nothing about it.
 */
export function reconnectDelayMs(attempt: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(attempt, 10), LONGEST_MS);
}
