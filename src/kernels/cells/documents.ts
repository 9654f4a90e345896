import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId, Wake } from '../../spi/rule.ts';
import type { Sending } from '../requests/sending.ts';

/** A document as a store keeps it, and what its clock showed when it was read. */
export interface Found {
  readonly now: number;
  /** Undefined if there is none. */
  readonly version: string | undefined;
  readonly state: unknown;
  /** When it was written, by the same clock, where the store remembers that. */
  readonly changedAt?: number;
}

/** A change of one document: carried out only on the version that it was decided on, at the time it was decided for. */
export interface DocumentChange {
  readonly kind: string;
  readonly name: string;
  /** What was asked for, and the state that it was decided on; for stores that must know whether a change adds to it. */
  readonly verb: string;
  readonly before: unknown;
  readonly expected: string | undefined;
  /** Never used before for any document: one that was used twice would let a decision on old state through (soundness 7). */
  readonly version: string;
  readonly state: unknown;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The document may go after this time if nobody changes it; Infinity for never. */
  readonly ttlMs: number;
  readonly wake: Wake;
  /**
   * Whether a crash of the store may undo it after it was answered. What was given back is then held by nobody until its
   * time is over, and whoever was let in by it has made a change of its own that cannot be kept without it.
   */
  readonly mayBeLost: boolean;
  /**
   * The document that it was decided on, word for word, if nobody but a message has told of it: it is carried out only if
   * that is what is there. Messages may be sent by anybody, also by those who may not write documents.
   */
  readonly told?: string | undefined;
}

/** A document that a message tells of: of this version, at this time by the store's clock. */
export type News = (kind: string, name: string, version: string, document: string, at: number) => void;

/** Named documents that can be read, and replaced by whoever knows their version. */
export interface Documents {
  read(kind: string, name: string): Promise<Found>;
  /** Undefined if it was done, and the time; otherwise what is there now. Writes to `sending` when the change leaves. */
  write(
    change: DocumentChange,
    sending?: Sending,
  ): Promise<{ readonly now: number; readonly instead?: Found }>;
  /** The clock of the server that keeps this document, and which of several it is. */
  time(kind: string, name: string): Promise<number>;
  clockOf(kind: string, name: string): string;
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch>;
  /** How many statements the way to the store carries at once. Any number where this is missing. */
  readonly atOnce?: number | undefined;
  /** Whether a change counts only once others have confirmed it: then also an answer that changes nothing is written. */
  readonly confirms: boolean;
  /** How long a document is remembered that matters to nobody but for its last fence. */
  readonly retentionMs: number;
  /**
   * Whether a first decision is made on what was last seen of a document, and on its absence if nothing was: it is
   * carried out if it was right, and costs nothing but itself if it was not, because `write` answers with what is there.
   */
  readonly guesses?: boolean;
  /**
   * The version that a watch on this document has seen last, and since which it has heard of nothing that lets in: whoever
   * waits may take it for what is there. Undefined if nothing watches it, or it is not known.
   */
  readonly seen?: (kind: string, name: string) => string | undefined;
  /** Who is known to be dead, for a decision about this document. Nobody is where this is missing. */
  readonly dead?: (kind: string, name: string) => DeadOwners;
  /** Since when, by the store's clock, it has kept its data without a gap. Since now where this is missing. */
  readonly keptSince?: () => number;
  /** Has what is heard of documents that are watched here told, before those who watch them are. */
  readonly news?: ((heard: News) => void) | undefined;
  /** One change with everybody else kept out meanwhile, for those who may not be made to wait (soundness 21). */
  readonly exclusively?:
    | (<T>(
        kind: string,
        name: string,
        decide: (found: Found) => DocumentDecision<T>,
        sending?: Sending,
      ) => Promise<T>)
    | undefined;
}

/** What came of a look: what to write, if anything, and what to answer once it is written. */
export interface DocumentDecision<T> {
  readonly change?: DocumentChange;
  readonly answer: (now: number) => T;
}
