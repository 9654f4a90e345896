import type { Facts } from '../spi/rule.ts';

/**
 * The next fence: one more than the last, and never behind the engine's time in microseconds.
 *
 * A plain counter would do while its record lives. It repeats itself when the record is lost (a fail-over, a restart
 * without data) and keeps a record for every name ever used; time lets the record of a free lock go.
 */
export function nextFence(previous: number, facts: Facts): number {
  return Math.max(previous + 1, facts.fenceFloor + 1, Math.trunc(facts.now * 1000));
}
