import type { Factories, Hold, HoldOptions, Synchronizers } from '../../index.ts';

/** Anything that one owner at a time can hold, seen as a lock. */
export interface Exclusive {
  acquire(options?: HoldOptions): Promise<Hold>;
  tryAcquire(options?: HoldOptions): Promise<Hold | null>;
  run?<T>(fn: (hold: Hold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
  waiters(): Promise<number>;
}

/** How a synchronizer is used as a lock. */
export interface ExclusiveAdapter<K extends keyof Factories> {
  readonly open: (client: Synchronizers<K>, name: string) => Exclusive;
  /**
   * How many owners wait where a case needs many. A queue in the store is slower than one in this process, so an adapter
   * may lower it.
   */
  readonly crowd?: number;
  /** Set if it has no `run`. */
  readonly withoutRun?: true;
  /** Set if only the lease frees it when its holder dies, whatever the engine's traits say of others. */
  readonly survivesCrash?: true;
}

/** An exclusive synchronizer that has `run`. */
export type Running = Exclusive & Required<Pick<Exclusive, 'run'>>;

export function hasRun(thing: Exclusive): thing is Running {
  return thing.run !== undefined;
}

/** Whether it is free: found out by holding it for a moment. */
export async function isFree(thing: Pick<Exclusive, 'tryAcquire'>): Promise<boolean> {
  const hold = await thing.tryAcquire();
  await hold?.release();
  return hold !== null;
}

/** Waits until the store has dropped a lost hold: it keeps the hold a little longer than the holder trusts it. */
export async function untilFree(
  bench: { until(happened: () => Promise<boolean>): Promise<void> },
  thing: Pick<Exclusive, 'tryAcquire'>,
): Promise<void> {
  await bench.until(() => isFree(thing));
}
