import type { Lock } from './lock.ts';

/**
 * Many readers or one writer. A writer may acquire the read side and keep it after it releases the write side; a reader that
 * acquires the write side gets an `UpgradeError` at once, because it would wait for itself.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const config = memory().readWriteLock('config');
 * await config.write.run(async () => {
 *   await using reading = await config.read.acquire(); // downgrade
 *   console.log(reading.fence > 0n);
 * });
 * ```
 */
export interface ReadWriteLock {
  /** The name of the lock. */
  readonly name: string;
  /** The side that many owners can hold at the same time, while no owner holds `write`. */
  readonly read: Lock;
  /** The side that one owner holds alone. */
  readonly write: Lock;
}
