import type { Acquirable, Hold, HoldOptions } from './hold.ts';

export interface SemaphoreOptions extends HoldOptions {
  /** How many permits at a time; 1 without it. */
  readonly permits?: number;
}

export interface SemaphoreHold extends Hold {
  readonly permits: number;
}

/**
 * A number of permits, given out in the order of asking, so that a large request is not starved by small ones.
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
  readonly permits: number;
  available(): Promise<number>;
  waiters(): Promise<number>;
}
