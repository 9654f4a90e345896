import type { Acquirable } from './hold.ts';
import type { SemaphoreHold, SemaphoreOptions } from './semaphore.ts';

/** Permits that were acquired together, under one id. */
export interface Permit extends SemaphoreHold {
  /** A process that has the id may extend or release the permit. */
  readonly id: string;
}

/**
 * A semaphore whose permits have an id and a lease of their own. A permit that was acquired with `leaseMs` outlives the process
 * that acquired it, can be passed on by its id, and expires by itself.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const seats = memory().permitSemaphore('seats', { permits: 10 });
 * const { id } = await seats.acquire({ leaseMs: 60_000 });
 * console.log(await seats.extend(id, 120_000), await seats.release(id), await seats.release(id)); // true true false
 * ```
 */
export interface PermitSemaphore extends Acquirable<SemaphoreOptions, Permit> {
  /** How many permits there are in all. */
  readonly permits: number;
  /** How many permits are free. */
  available(): Promise<number>;
  /** How many acquisitions wait. */
  waiters(): Promise<number>;
  /** Makes at least `ms` remain for the permit. False if it has expired or was released. */
  extend(id: string, ms: number): Promise<boolean>;
  /** Releases the permit. False if it has expired or was released before. */
  release(id: string): Promise<boolean>;
}
