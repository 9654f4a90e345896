import type { WaitOptions } from './hold.ts';

/** How an arrival ended. */
export interface Arrival {
  /** The round that the arrival belongs to, counted from 0. */
  readonly generation: number;
  /** Counts down: the last to arrive has 0 and may do what is to be done once. */
  readonly index: number;
}

/**
 * Waits until a number of parties have arrived, again and again.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const round = memory().barrier('round', { parties: 2 });
 * const [first, second] = await Promise.all([round.arrive(), round.arrive()]);
 * console.log(first.generation === second.generation, first.index, second.index); // true 1 0
 * ```
 */
export interface Barrier {
  /** The name of the barrier. */
  readonly name: string;
  /** How many parties meet in each round. */
  readonly parties: number;
  /**
   * Waits for the others. Giving up (time-out, abort) breaks the barrier: the others get a `BrokenBarrierError`, so does
   * every party that arrives before `reset`.
   */
  arrive(options?: WaitOptions): Promise<Arrival>;
  /** How many parties have arrived and wait for the others. */
  waiting(): Promise<number>;
  /** Whether a party gave up or died since the last `reset`. */
  isBroken(): Promise<boolean>;
  /** Starts a new generation; parties that wait get a `BrokenBarrierError`. */
  reset(): Promise<void>;
}
