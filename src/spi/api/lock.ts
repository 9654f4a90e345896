import type { Acquirable, AcquireOptions, Hold, Holder, Owner, TimedAcquireOptions } from './hold.ts';

/** Queries. Each answers what was true when the store read it; it may have changed since. */
export interface Inspectable {
  /** Whether an owner holds it. */
  isLocked(): Promise<boolean>;
  /** The holder; null if there is none. */
  holder(): Promise<Holder | null>;
  /** What is left of the current holder's lease in the store; 0 when it is free. */
  remainingMs(): Promise<number>;
  /** How many wait: in the fleet or in this process, see `traits.waiters`. */
  waiters(): Promise<number>;
  /**
   * Takes the hold from its holder, which learns of it at its next renewal. With `fence`, only if that very grant still
   * stands. Answers whether a hold was taken.
   */
  forceRelease(options?: { readonly fence?: bigint }): Promise<boolean>;
}

/**
 * At most one holder at a time, re-entrant inside `run` and for an explicit owner.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * const total = await locks.lock('account:7').run(async (hold) => {
 *   hold.throwIfLost();
 *   return 40 + 2;
 * });
 * console.log(total);
 * ```
 */
export interface Lock extends Acquirable<AcquireOptions, Hold>, Inspectable {
  /** Which lock: the name of its factory, or the side of a read-write lock. */
  readonly kind:
    | 'lock'
    | 'fairLock'
    | 'readLock'
    | 'writeLock'
    | 'springLock'
    | 'tableLock'
    | 'rowLock'
    | 'advisoryLock'
    | 'namedLock';
  /** The label of the engine it lives on. */
  readonly engine: string;
  /** How many holds the owner has, or the `run` that this is called in: 0 if none. */
  holdCount(owner?: Owner): number;
  /** Releases the latest hold of an explicit owner; `NotHeldError` if it has none. */
  release(owner: Owner): Promise<void>;
  /** Makes at least `ms` remain for the hold of an explicit owner; `NotHeldError` if it has none. */
  extend(owner: Owner, ms: number): Promise<void>;
}

/** A lock whose fence can be raised to one from elsewhere, which a quorum needs to prove that its own increases. */
export interface FencedLock extends Lock {
  /** Which lock: the name of its factory. */
  readonly kind: 'lock' | 'fairLock' | 'springLock';
}

/**
 * A lock of a store with a clock, which can stay taken for a while after its release: see `minHoldMs`. The locks of a store whose
 * holds end with a session, such as ZooKeeper, have no such end.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * const hourly = locks.lock('report:hourly');
 * const first = await hourly.tryAcquire({ minHoldMs: 55 * 60_000 });
 * await first?.release(); // the report took a second
 * console.log(await hourly.tryAcquire()); // null
 * ```
 */
export interface TimedLock extends FencedLock {
  /** Which lock: the name of its factory. */
  readonly kind: 'lock' | 'fairLock';
  /** Waits until it is free; rejects with an `AcquireTimeoutError` after `timeoutMs`, if there is one. Takes `minHoldMs`. */
  acquire(options?: TimedAcquireOptions): Promise<Hold>;
  /** Null if another owner holds it: at once, or after `timeoutMs`. Takes `minHoldMs`. */
  tryAcquire(options?: TimedAcquireOptions): Promise<Hold | null>;
  /** Holds it while the function runs, and resolves with what the function returns. Takes `minHoldMs`. */
  run<T>(fn: (hold: Hold) => T | PromiseLike<T>, options?: TimedAcquireOptions): Promise<T>;
}
