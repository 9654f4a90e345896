import type { Kind, Kinds } from '../kinds.ts';
import type { Unwatch } from './protocol.ts';
import type { OwnerId } from '../rule.ts';
import type { Counted } from './traits.ts';
import type { Side } from '../verbs/read-write-lock.ts';

export type { Kind } from '../kinds.ts';

/** One who holds something, as the store shows it. */
export interface HolderSighting {
  readonly owner: OwnerId;
  /** Ours, of any process; or another program's that shares the layout of the store. */
  readonly program: 'holdfast' | 'other';
  /** Which side of a read-write lock. */
  readonly side?: Side;
  /** The last fence that was reserved with the hold. Missing where there is none: what other programs hold has none. */
  readonly fence?: bigint;
  /** What is left of the lease; Infinity if it has no end. */
  readonly remainingMs: number;
  /** How often the owner holds it, where the store counts that: re-entrant holds of ours are counted in their process. */
  readonly count: number;
}

/** How many wait, and whom that number counts. */
export interface Waiting {
  readonly count: number;
  /** All of the fleet, or those of this process. */
  readonly counts: Counted;
  /**
   * How many clients of the fleet listen for it, where the store can tell. Each may have many waiters, and one that has
   * just had its turn listens a moment longer.
   */
  readonly clients?: number;
}

/** Something that is held or waited for. */
export interface Sighting<K extends Kind = Kind> {
  readonly kind: K;
  readonly name: string;
  /** Empty if it is only waited for, and for what has no holders: latches, barriers, and counters without owners. */
  readonly holders: readonly HolderSighting[];
  readonly waiters: Waiting;
}

/** A place in the line of a fair lock. */
export interface PlaceInLine {
  readonly owner: OwnerId;
  readonly program: HolderSighting['program'];
  /** When the place lapses if its owner neither asks again nor gets in. Undefined for a place that counts for nothing. */
  readonly lapsesInMs: number | undefined;
  /** How many of one process stand there together. */
  readonly count: number;
}

/** All that the store knows about one synchronizer of a kind. */
export type DescriptionOf<K extends Kind> = Sighting<K> & Kinds[K]['details'];

/** All that the store knows about one synchronizer, of whichever kind. */
export type Description = { [K in Kind]: DescriptionOf<K> }[Kind];

/** A hint that something may be different now. */
export type Change =
  | { readonly what: 'name'; readonly kind: Kind; readonly name: string }
  /** Hints were missed: look at everything again. */
  | { readonly what: 'anything' };

/** What was seen of a hold that is to be broken. */
export interface Expected {
  readonly owner?: OwnerId;
  readonly fence?: bigint;
}

/** What lets operators see, and if need be break, what is held: the command line and the dashboard read it. */
export interface Inspector {
  /**
   * What is held or waited for, bit by bit as the caller takes it: the store is never asked for everything at once. It is
   * no snapshot: what changes meanwhile may be seen before, after, twice or not at all.
   */
  list(options?: { readonly prefix?: string; readonly signal?: AbortSignal }): AsyncIterable<Sighting>;
  /** One synchronizer in full; null if nothing of this kind is there. Also what `list` cannot recognise. */
  describe(kind: Kind, name: string): Promise<Description | null>;
  /**
   * Calls when something may have changed, until it is stopped. A hint and no more: which changes are heard of
   * depends on the engine, and a call may come without a change.
   */
  changes(listener: (change: Change) => void): Promise<Unwatch>;
  /**
   * Takes something away from the holder that was seen, and from no other: its owner, its fence or both have to be
   * given. The fence is raised, so that a resource that compares fences refuses what the holder still writes. Answers
   * whether it was taken away.
   */
  forceRelease(kind: Kind, name: string, expected: Expected): Promise<boolean>;
}
