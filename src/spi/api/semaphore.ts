import type { Acquirable, Hold, HoldOptions } from './hold.ts';

/** How to wait, how long to hold, and how many permits. */
export interface SemaphoreOptions extends HoldOptions {
  /** How many permits to acquire together; 1 by default. */
  readonly permits?: number;
}

/** Permits that were acquired together. */
export interface SemaphoreHold extends Hold {
  /** How many permits the hold has. */
  readonly permits: number;
}

/**
 * A number of permits. The store grants them in the order of asking, so that small requests do not starve a large one.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const uploads = memory().semaphore('uploads', { permits: 3 });
 * await uploads.run(async (hold) => console.log(hold.permits, await uploads.available()), { permits: 2 });
 * ```
 */
export interface Semaphore extends Acquirable<SemaphoreOptions, SemaphoreHold> {
  /** How many permits there are in all. */
  readonly permits: number;
  /** How many permits are free. */
  available(): Promise<number>;
  /** How many acquisitions wait. */
  waiters(): Promise<number>;
}
