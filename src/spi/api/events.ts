/** What a listener receives. */
export interface HoldfastEvent {
  /** The kind of the synchronizer: `lock`, `readLock`, `semaphore`, … */
  readonly kind: string;
  readonly name: string;
  /** The label of the engine object. */
  readonly engine: string;
  readonly owner?: string;
  readonly fence?: bigint;
  /** How long the acquisition took, or how long the hold lasted. */
  readonly elapsedMs?: number;
  readonly error?: unknown;
}

/** Every event, by its name. */
export interface EventMap {
  /** An owner acquired. */
  readonly acquire: HoldfastEvent;
  /** A holder released. */
  readonly release: HoldfastEvent;
  /** The keeper renewed a hold. */
  readonly renew: HoldfastEvent;
  /** A hold ended before its release. */
  readonly lost: HoldfastEvent;
  /** An acquisition was refused and began to wait. */
  readonly contended: HoldfastEvent;
  /** A step in the background failed: a renewal, a release, the withdrawal of a waiter. */
  readonly trouble: HoldfastEvent;
}
