import type { HolderIdentity } from '../api/client-card.ts';
import type { Kind, Kinds } from '../kinds.ts';
import type { Unwatch } from './protocol.ts';
import type { OwnerId } from '../rule.ts';
import type { Counted } from './traits.ts';
import type { Side } from '../verbs/read-write-lock.ts';

export type { Kind } from '../kinds.ts';

/** A holder, as the store shows it. */
export interface HolderSighting extends HolderIdentity {
  /** The id of the holder in the store. */
  readonly owner: OwnerId;
  /** Which side of a read-write lock. */
  readonly side?: Side;
  /** The last fence that was reserved with the hold. Missing for holds of other programs, which have none. */
  readonly fence?: bigint;
  /** What is left of the lease; Infinity if it has no end. */
  readonly remainingMs: number;
  /** How often the owner holds, where the store counts that. Holdfast counts re-entrant holds in the process. */
  readonly count: number;
}

/** How many wait, and whose waiters that number counts. */
export interface Waiting {
  /** How many wait. */
  readonly count: number;
  /** The waiters of the fleet, or of this process. */
  readonly counts: Counted;
  /**
   * How many clients of the fleet listen for a change, where the store knows. Each may have many waiters, and a client that
   * has just had its turn listens a moment longer.
   */
  readonly clients?: number;
}

/** A synchronizer that is held or waited for. */
export interface Sighting<K extends Kind = Kind> {
  /** The kind of the synchronizer. */
  readonly kind: K;
  /** The name of the synchronizer. */
  readonly name: string;
  /** Empty while it is only waited for, and for kinds without holders: latches, barriers, counters without owners. */
  readonly holders: readonly HolderSighting[];
  /** How many wait for it. */
  readonly waiters: Waiting;
}

/** One who waits, as the store shows it. Its client has a name once it has held something: a client announces itself then. */
export interface PlaceInLine extends Omit<HolderIdentity, 'heldForMs'> {
  /** The id of the waiter in the store. */
  readonly owner: OwnerId;
  /** When the ticket lapses unless its owner asks again or acquires. Undefined for a ticket that counts for nothing. */
  readonly lapsesInMs: number | undefined;
  /** How many waiters of one process share the ticket. */
  readonly count: number;
  /** Which side of a read-write lock it waits for. */
  readonly side?: Side;
  /** How many permits it waits for, where the store keeps that. */
  readonly permits?: number;
}

/**
 * Who waits, and in which order. Where the store lists no waiters the list is missing: an empty one would read as a thing that has none.
 * `waiters` tells how many are known.
 */
export type WaitingLine =
  /** The store serves them in this order: the first is next. */
  | { readonly order: 'turns'; readonly places: readonly PlaceInLine[] }
  /** The store lists them, and serves the first that asks once there is room: any of them may be next. */
  | { readonly order: 'any'; readonly places: readonly PlaceInLine[] }
  /** The store does not know who waits. */
  | { readonly order: 'unknown' };

/** All that the store knows about one synchronizer of a kind. */
export type DescriptionOf<K extends Kind> = Sighting<K> & {
  /** Who waits, and in which order. */
  readonly line: WaitingLine;
} & Kinds[K]['details'];

/** All that the store knows about one synchronizer, of whichever kind. */
export type Description = { [K in Kind]: DescriptionOf<K> }[Kind];

/** A hint that a synchronizer may have changed. */
export type Change =
  | { readonly what: 'name'; readonly kind: Kind; readonly name: string }
  /** The inspector missed hints: look at everything again. */
  | { readonly what: 'anything' };

/** What the caller saw of the hold to break. */
export interface Expected {
  /** The owner of the hold. */
  readonly owner?: OwnerId;
  /** The last fence of the hold. */
  readonly fence?: bigint;
}

/** Shows operators what is held, and breaks a hold. The command line and the dashboard use it. */
export interface Inspector {
  /**
   * Lists what is held or waited for, a slice of the store at a time. It is no snapshot: what changes meanwhile is seen before,
   * after, twice or not at all.
   */
  list(options?: { readonly prefix?: string; readonly signal?: AbortSignal }): AsyncIterable<Sighting>;
  /** Describes one synchronizer in full, also one that `list` cannot recognise; null if nothing of this kind is there. */
  describe(kind: Kind, name: string): Promise<Description | null>;
  /**
   * Calls when a synchronizer may have changed, until the watch is ended. It is a hint: the engine decides which changes it
   * hears of, and may call without a change.
   */
  changes(listener: (change: Change) => void): Promise<Unwatch>;
  /**
   * Takes the hold from the holder that the caller saw, and from no other: `expected` has its owner, its fence or both. Raises
   * the fence, so that a resource that compares fences refuses what the holder still writes. Answers whether a hold was taken.
   */
  forceRelease(kind: Kind, name: string, expected: Expected): Promise<boolean>;
}
