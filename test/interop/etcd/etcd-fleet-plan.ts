/** What every process of a mixed fleet on etcd does, on both sides. */
export interface EtcdFleetPlan {
  readonly endpoints: string;
  readonly sessionMs: number;
  readonly kind: 'lock' | 'writeLock';
  readonly name: string;
  /** Its last line is the number that all of them increment. */
  readonly file: string;
  /** Until the number is this. */
  readonly goal: number;
  /** In each process. */
  readonly workers: number;
  /** A worker that waits for longer waits in vain. */
  readonly waitMs: number;
}
