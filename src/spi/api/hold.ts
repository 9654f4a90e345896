import type { HolderIdentity } from './client-card.ts';

/** Makes several acquisitions one owner, so that they are re-entrant. Made by `locks.owner()`; lives in this process. */
export interface Owner {
  /** What errors call the owner. */
  readonly label: string;
}

/** How long to wait, and how to stop waiting. */
export interface WaitOptions {
  /**
   * Give up after this time. Without it `acquire` waits without limit and `tryAcquire` makes a single attempt; with `Infinity` both
   * wait without limit.
   */
  readonly timeoutMs?: number;
  /** Stop waiting when it aborts; its reason is rethrown untouched. */
  readonly signal?: AbortSignal;
}

/** How to wait, and how long to hold. */
export interface HoldOptions extends WaitOptions {
  /**
   * The store ends the hold after this time. Without it the keeper renews the hold every third of the engine's
   * `renewalLeaseMs` until it is released.
   */
  readonly leaseMs?: number;
}

/** How to wait, how long to hold, and as which owner. */
export interface AcquireOptions extends HoldOptions {
  /** Acquire as this owner: re-entrant with its other holds of the same lock. */
  readonly owner?: Owner;
}

/** The same of a lock that can be taken for longer than it is held. */
export interface TimedAcquireOptions extends AcquireOptions {
  /**
   * No other owner gets the lock before so much time has passed since the grant, by the clock of the store: a release before
   * that, also that of `run` or `close()`, only sets the end of the lease. For a job that runs once in a period, however fast
   * it is. Not longer than `leaseMs`, if that is given.
   */
  readonly minHoldMs?: number;
}

/**
 * The result of an acquisition. It is apart from the lock: another owner can hold the lock again while the program still has
 * this object. `console.log` and `JSON.stringify` show it in one line, with the fence as text.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * await using hold = await locks.lock('invoice:42').acquire({ timeoutMs: 5_000 });
 * console.log(hold.fence > 0n, hold.lost.aborted, hold.remainingMs > 0);
 * ```
 */
export interface Hold extends AsyncDisposable {
  /** Larger than that of every earlier exclusive hold of this name. Send it along with each write. */
  readonly fence: bigint;
  /** Aborts with a `LeaseLostError` when the hold ends before it is released. */
  readonly lost: AbortSignal;
  /** How many milliseconds the hold is still good, by the stopwatch of this process. 0 once it is lost or released. */
  readonly remainingMs: number;
  /** Throws a `LeaseLostError` if the hold is no longer good. Call it before each guarded act. */
  throwIfLost(): void;
  /** Makes at least `ms` remain; never shortens. */
  extend(ms: number): Promise<void>;
  /** Releases. The first release of a lost hold rejects with `LeaseLostError`; later calls do nothing. */
  release(): Promise<void>;
}

/** The current holder, as far as the store knows. */
export interface Holder extends HolderIdentity {
  /** The id of the holder in the store. */
  readonly owner: string;
  /** The fence of the hold; `0n` where the store does not know it, as of a lock that the database itself has. */
  readonly fence: bigint;
  /** What is left of the lease in the store. */
  readonly remainingMs: number;
}

/** What can be acquired and held. */
export interface Acquirable<O extends WaitOptions, H extends Hold> {
  /** The name: programs that use the same name exclude each other. */
  readonly name: string;
  /** Waits until it is held. Rejects with `AcquireTimeoutError`, or with the signal's reason. */
  acquire(options?: O): Promise<H>;
  /** One attempt, or as long as `timeoutMs` says. Answers null if it was not acquired. */
  tryAcquire(options?: O): Promise<H | null>;
  /**
   * Acquires, calls `fn` with the hold, releases. An error of `fn` wins over an error of the release; if `fn` succeeded
   * but the hold was lost meanwhile, rejects with `LeaseLostError`.
   */
  run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: O): Promise<T>;
}
