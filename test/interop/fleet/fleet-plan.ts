/** What every client of a mixed fleet does, on both sides. */
export interface FleetPlan {
  readonly port: number;
  readonly kind: 'lock' | 'fairLock' | 'writeLock';
  readonly name: string;
  /** Until the number is this. */
  readonly goal: number;
  /** In each process, with the readers among them. */
  readonly workers: number;
  readonly readers: number;
  /** Between two reads: a lock that is always read is never written. */
  readonly pauseMs: number;
  readonly leaseMs: number;
  readonly fairWaitMs: number;
}
