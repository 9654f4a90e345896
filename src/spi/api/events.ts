/** What a listener receives. */
export interface HoldfastEvent {
  /** The kind of the synchronizer: `lock`, `readLock`, `semaphore`, … */
  readonly kind: string;
  /** The name of the synchronizer. */
  readonly name: string;
  /** The label of the engine object. */
  readonly engine: string;
  /** The id of the owner in the store. */
  readonly owner?: string;
  /** The fence of the hold. */
  readonly fence?: bigint;
  /** How long the acquisition took, or how long the hold lasted. */
  readonly elapsedMs?: number;
  /** What went wrong, of `lost` and `trouble`. */
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
  /** A step in the background failed: a renewal, a release, the withdrawal of a waiter, a campaign of `lead`. */
  readonly trouble: HoldfastEvent;
}

/**
 * The context of one acquisition on the channels of `tracingChannel('holdfast:acquire')`: one object from `start` to `asyncEnd`,
 * through all waiting and every new owner that it starts again as. Node adds `result` and `error` to it.
 */
export interface AcquireTrace {
  /** Its number among the acquisitions that were traced in this thread. */
  readonly id: number;
  /** The kind of the synchronizer, as in {@link HoldfastEvent}. */
  readonly kind: string;
  /** The name of the synchronizer. */
  readonly name: string;
  /** The label of the engine object. */
  readonly engine: string;
  /** The owner on the wire, once the acquisition has one; the last of them if it had to start again. */
  readonly owner?: string;
  /** Set when the hold is granted. */
  readonly fence?: bigint;
  /** Whether it has waited for another owner: in the line of its process, in the store, or behind its own siblings. */
  readonly waited: boolean;
  /** Whether it re-enters a hold that its owner has: the store is not asked, and no `acquire` event follows. */
  readonly reentered: boolean;
  /** How long it took. Set when it is over, also if it failed. */
  readonly elapsedMs?: number;
  /** What the call resolves to: the hold, or null. For `run` the hold that its function gets. */
  readonly result?: unknown;
  /** What the call rejects with. A `tryAcquire` whose time is over resolves to null, and has none. */
  readonly error?: unknown;
}
