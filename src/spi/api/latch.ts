import type { WaitOptions } from './hold.ts';

/**
 * A gate that opens when a count reaches zero.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const ready = memory().latch('ready');
 * await ready.trySetCount(2);
 * const opened = ready.await();
 * await ready.countDown();
 * await ready.countDown();
 * await opened;
 * ```
 */
export interface Latch {
  /** The name of the latch. */
  readonly name: string;
  /** Sets the count of an open latch; false while it still counts. */
  trySetCount(count: number): Promise<boolean>;
  /** Counts down, never below zero; answers what is left. */
  countDown(by?: number): Promise<number>;
  /** What is left to count; 0 if the latch is open. */
  count(): Promise<number>;
  /** Waits until the count is zero. A latch that was never set is open. */
  await(options?: WaitOptions): Promise<void>;
  /** Sets the count whatever it was. Without a number it opens the latch. */
  reset(count?: number): Promise<void>;
}
