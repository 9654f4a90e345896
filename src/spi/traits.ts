/** Differences between engines that are not methods. The suites read them and test accordingly. */
export interface Traits {
  /** How a waiter learns that it may try again. */
  readonly wakeUp: 'push' | 'poll';
  /** Whose clock ends leases. */
  readonly clock: 'process' | 'server';
  /** What frees the holds of a client that died: the end of its session, or only the end of the lease. */
  readonly crash: 'session' | 'lease';
  /** Whom `waiters` counts. Of the line that other processes keep for a plain lock, only the head is seen. */
  readonly waiters: 'fleet' | 'process';
  /** The shortest step in which leases are kept. */
  readonly leaseGranularityMs: number;
  /** Whether holds reach beyond this process. */
  readonly scope: 'process' | 'machine' | 'fleet';
}
