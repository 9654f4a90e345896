import type { Hold, HoldOptions } from './hold.ts';
import type { FencedLock, Lock } from './lock.ts';

/** A hold on a majority. It has a fence only if the members can prove that it increases. */
export type QuorumHold<L extends Lock> = L extends FencedLock ? Hold : Omit<Hold, 'fence'>;

/** A lock that is held by holding a majority of independent ones. */
export interface QuorumLock<H> {
  readonly locks: readonly Lock[];
  acquire(options?: HoldOptions): Promise<H>;
  tryAcquire(options?: HoldOptions): Promise<H | null>;
  run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
}

export interface QuorumOptions {
  /** How long one member is waited for before its answer no longer counts. */
  readonly memberTimeoutMs?: number;
  /** The longest lease that any client of these members uses; a member that is younger than this does not count. */
  readonly longestLeaseMs?: number;
}
