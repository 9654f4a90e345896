import type { Hold, HoldOptions } from './hold.ts';
import type { Lock } from './lock.ts';

/** Several holds as one. There is no single fence: each member has its own. */
export interface MultiHold extends Omit<Hold, 'fence'> {
  /** The fence of each member, in the order in which the locks were passed. */
  readonly fences: readonly bigint[];
}

/** All of several locks or none. */
export interface MultiLock {
  /** The members, in the order in which they were passed. */
  readonly locks: readonly Lock[];
  /** Waits until all are held. Rejects with `AcquireTimeoutError`, or with the signal's reason. */
  acquire(options?: HoldOptions): Promise<MultiHold>;
  /** One attempt, or as long as `timeoutMs` says. Answers null if not all were acquired. */
  tryAcquire(options?: HoldOptions): Promise<MultiHold | null>;
  /** Acquires all, calls `fn` with the hold, releases all. */
  run<T>(fn: (hold: MultiHold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}
