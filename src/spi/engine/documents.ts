import type { MaybeAsync } from '../maybe-async.ts';
import type { DeadOwners, OwnerId, Wake } from '../rule.ts';
import type { Unwatch } from './protocol.ts';

/** A document as a store keeps it, and what the store's clock showed when it was read. */
export interface Found {
  readonly now: number;
  /** Undefined if there is no document. */
  readonly version: string | undefined;
  readonly state: unknown;
  /** When it was written, by the same clock, where the store remembers that. */
  readonly changedAt?: number;
}

/** A change of one document. The store makes it only on the version that it was decided on, at the time it was decided for. */
export interface DocumentChange {
  readonly kind: string;
  readonly name: string;
  /** The verb that was asked for, for a store that must know whether a change adds to the state. */
  readonly verb: string;
  /** The state that the change was decided on, for the same purpose. */
  readonly before: unknown;
  /** The version that must be there; undefined if there must be no document. */
  readonly expected: string | undefined;
  /** The version that the document gets. No version is used twice: a decision on old state would pass (soundness 7). */
  readonly version: string;
  /** The new state: plain JSON. */
  readonly state: unknown;
  /** The change is good from this time on, by the store's clock, … */
  readonly notBefore: number;
  /** … and only before this time. */
  readonly notAfter: number;
  /** How long after its last change the document may be dropped; Infinity for never. */
  readonly ttlMs: number;
  /** Which watchers the store has to notify. */
  readonly wake: Wake;
  /**
   * Whether a crash of the store may undo the change after it was answered. It is true of a release: until the lease ends the
   * undone hold keeps its name, and a holder that came after it made a change of its own, which cannot be kept without this
   * one.
   */
  readonly mayBeLost: boolean;
  /**
   * The document that the change was decided on, word for word, if only a message told of it. The store compares it with what
   * is there: a client that may send messages and not write documents could forge one.
   */
  readonly told?: string | undefined;
}

/** Receives a document that a message told of: its version, its text, and the store's time at which it was so. */
export type News = (kind: string, name: string, version: string, document: string, at: number) => void;

/** What a store reports while it carries out one copy of a request. */
export interface Sending {
  /** False once the caller heard that nothing was done: a copy that is still in this process must not leave it. */
  readonly isWanted: boolean;
  /** A copy leaves this process, and may be carried out from now on. */
  leaves(): void;
  /** The store refused or undid a copy that had left: that copy has done nothing. */
  cameToNothing(): void;
}

/** What became of a write: the store's time, and what is there `instead` if the change was not made. */
export interface Written {
  readonly now: number;
  readonly instead?: Found;
}

/**
 * A store of named documents that compares and replaces. This is what SQLite, PostgreSQL, MariaDB and the cells of Redis
 * implement: the kernels run the rules over it.
 */
export interface Documents {
  read(kind: string, name: string): Promise<Found>;
  /**
   * Replaces the document if version and time are right. A change that finds its own version there was made by an earlier
   * copy and counts as made.
   */
  write(change: DocumentChange, sending?: Sending): Promise<Written>;
  /** What the clock of the server shows that keeps this document. */
  time(kind: string, name: string): Promise<number>;
  /** Tells the clocks of several servers apart; the same word for all names where there is one clock. */
  clockOf(kind: string, name: string): string;
  /** Called when a request about this document was not answered in time: its connection may carry nothing any more. */
  suspect?(kind: string, name: string): void;
  /**
   * Calls `heard` after a change that wakes `owner`. It may call without cause, and calls once after a gap; once the watch
   * is answered it misses nothing.
   */
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
  /** How many statements the way to the store carries at once. Without limit where this is missing. */
  readonly atOnce?: number | undefined;
  /** Whether a change counts only once replicas confirm it: then an answer that changes nothing is written, too. */
  readonly confirms: boolean;
  /** How long a document is kept of which only the last fence matters. */
  readonly retentionMs: number;
  /**
   * Whether the first decision is made on the document that was last seen, or on its absence. A right guess spares the
   * read; a wrong one costs nothing more, because `write` answers with what is there.
   */
  readonly guesses?: boolean;
  /**
   * The version that a watch on this document saw last, and since which it heard of no change that wakes: a waiter takes it
   * for what is there. Undefined if no watch is in place, or the version is not known.
   */
  readonly seen?: (kind: string, name: string) => string | undefined;
  /** Which owners are proven dead, for a decision about this document. None where this is missing. */
  readonly dead?: (kind: string, name: string) => DeadOwners;
  /** Since when, by its own clock, the store has kept its data without a gap. Since now where this is missing. */
  readonly keptSince?: () => number;
  /** Reports every document that a message tells of, before the watchers of its name are called. */
  readonly news?: ((heard: News) => void) | undefined;
  /** Makes one change with every other client kept out meanwhile, for verbs that must not starve (soundness 21). */
  readonly exclusively?:
    | (<T>(
        kind: string,
        name: string,
        decide: (found: Found) => DocumentDecision<T>,
        sending?: Sending,
      ) => Promise<T>)
    | undefined;
}

/** What came of a look: the change to write, if any, and the answer once it is written. */
export interface DocumentDecision<T> {
  readonly change?: DocumentChange;
  readonly answer: (now: number) => T;
}
