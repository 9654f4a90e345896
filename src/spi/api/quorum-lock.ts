import type { Hold, HoldOptions } from './hold.ts';
import type { FencedLock, Lock } from './lock.ts';

/** A hold on a majority. It has a fence only if the members can prove that it increases. */
export type QuorumHold<L extends Lock> = L extends FencedLock ? Hold : Omit<Hold, 'fence'>;

/** A lock that is held by holding a majority of independent ones. */
export interface QuorumLock<H> {
  /** The members, in the order in which they were passed. */
  readonly locks: readonly Lock[];
  /** Waits until a majority is held. Rejects with `AcquireTimeoutError`, `QuorumError`, or the signal's reason. */
  acquire(options?: HoldOptions): Promise<H>;
  /** One attempt, or as long as `timeoutMs` says. Answers null if no majority was acquired. */
  tryAcquire(options?: HoldOptions): Promise<H | null>;
  /** Acquires, calls `fn` with the hold, releases. */
  run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}

/** How a quorum treats its members. */
export interface QuorumOptions {
  /** How long the quorum waits for one member; a later answer does not count. */
  readonly memberTimeoutMs?: number;
  /** The longest lease that any client of these members uses; a member that is younger than this does not count. */
  readonly longestLeaseMs?: number;
}
