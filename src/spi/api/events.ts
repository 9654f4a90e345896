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

/** Calls a section, in whatever surroundings: `(section) => context.with(mine, section)`. */
export type SectionCall = <T>(section: () => T) => T;

/**
 * The context of one hold on the channels of `tracingChannel('holdfast:hold')`: `start` and `end` when an owner has been granted
 * something, `asyncStart` and `asyncEnd` when the hold is over, before them `error` if it was lost or its release failed. A hold
 * that re-enters has none, and a hand-over ends one and starts another.
 */
export interface HoldTrace {
  /** Its number among the holds that were traced in this thread. */
  readonly id: number;
  /** The acquisition that brought it, if that was traced as well. */
  readonly acquisition: AcquireTrace | undefined;
  /** The kind of the synchronizer, as in {@link HoldfastEvent}. */
  readonly kind: string;
  /** The name of the synchronizer. */
  readonly name: string;
  /** The label of the engine object. */
  readonly engine: string;
  /** The owner on the wire. */
  readonly owner: string;
  /** Its fence. */
  readonly fence: bigint;
  /** How long it lasted. Set when it is over. */
  readonly elapsedMs?: number;
  /** The `LeaseLostError` of a hold that was lost, or what its release failed with. */
  readonly error?: unknown;
  /** Has the section of a `run` or `lead` called by this function. Call it in a subscriber to `start`, later is too late. */
  callSectionBy(call: SectionCall): void;
}

/**
 * The context of one renewal on the channels of `tracingChannel('holdfast:renewal')`: `start` and `end` when the request is sent,
 * `asyncStart` and `asyncEnd` when the store has answered, before them `error` if it has not, or no longer had the hold. One
 * request renews many holds, and each has a trace of its own.
 */
export interface RenewalTrace {
  /** Its number among the renewals that were traced in this thread. */
  readonly id: number;
  /** The hold, if it was traced as well. */
  readonly hold: HoldTrace | undefined;
  /** The kind of the synchronizer, as in {@link HoldfastEvent}. */
  readonly kind: string;
  /** The name of the synchronizer. */
  readonly name: string;
  /** The label of the engine object. */
  readonly engine: string;
  /** The owner on the wire. */
  readonly owner: string;
  /** The fence of the hold. */
  readonly fence: bigint;
  /** How long the store took to answer. Set when it is over. */
  readonly elapsedMs?: number;
  /** What the renewal failed with, or the `LeaseLostError` if the store no longer had the hold. */
  readonly error?: unknown;
}
