import type { Hold, HoldOptions } from './hold.ts';
import type { Lock } from './lock.ts';

/** Several holds as one. There is no single fence: each member has its own. */
export interface MultiHold extends Omit<Hold, 'fence'> {
  /** In the order in which the locks were given. */
  readonly fences: readonly bigint[];
}

/** All of several locks or none. */
export interface MultiLock {
  readonly locks: readonly Lock[];
  acquire(options?: HoldOptions): Promise<MultiHold>;
  tryAcquire(options?: HoldOptions): Promise<MultiHold | null>;
  run<T>(fn: (hold: MultiHold) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}
