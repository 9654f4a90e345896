/** Whose waiters are counted: the fleet's, or those of this process. */
export type Counted = 'fleet' | 'process';

/** Differences between engines that are not methods. The suites read them and test accordingly. */
export interface Traits {
  /** How a waiter learns that it may try again. */
  readonly wakeUp: 'push' | 'poll';
  /** Whose clock ends leases. */
  readonly clock: 'process' | 'server';
  /** What frees the holds of a client that died: the end of its session, or only the end of the lease. */
  readonly crash: 'session' | 'lease';
  /**
   * Whose waiters `waiters()` counts, by kind where kinds differ. Of the local queue that another process keeps for a plain lock, the
   * store sees only the head.
   */
  readonly waiters: Counted | (Readonly<Partial<Record<string, Counted>>> & { readonly others: Counted });
  /** Whose order of asking the semaphores keep: that of the fleet, or of each client by itself. */
  readonly permitOrder: 'fleet' | 'client';
  /**
   * Whether each kind has names of its own, or all kinds share them: then `lock('a')` and `latch('a')` are one record of
   * the store, and a bare number does not show its kind.
   */
  readonly keyspace: 'by-kind' | 'shared';
  /** The shortest step in which leases are kept. */
  readonly leaseGranularityMs: number;
  /** Whether holds reach beyond this process. */
  readonly scope: 'process' | 'machine' | 'fleet';
}
