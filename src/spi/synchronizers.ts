import type { EventMap } from './api/events.ts';
import type { Owner } from './api/hold.ts';
import type { Lock, TimedLock } from './api/lock.ts';
import type { Inspector } from './engine/inspector.ts';
import type { Traits } from './engine/traits.ts';
import type { Kinds } from './kinds.ts';

export type * from './api/barrier.ts';
export type * from './api/client-card.ts';
export type * from './api/election.ts';
export type * from './api/engine-options.ts';
export type * from './api/events.ts';
export type * from './api/hold.ts';
export type * from './api/latch.ts';
export type * from './api/lock.ts';
export type * from './api/monitor.ts';
export type * from './api/multi-lock.ts';
export type * from './api/permit-semaphore.ts';
export type * from './api/quorum-lock.ts';
export type * from './api/read-write-lock.ts';
export type * from './api/semaphore.ts';

/**
 * Every factory that an engine can offer, by the kind that it makes. `L` is what its locks are: a plain {@link Lock} where the
 * store numbers the holds itself, so that no client can raise a fence. A quorum of such locks has no fence, and its type says so.
 */
export type Factories<L extends Lock = TimedLock> = {
  // Over `keyof Kinds` and not over `Kind`: only then an editor shows the comment of each kind at its factory.
  [K in keyof Kinds]: K extends 'lock' | 'fairLock' ? (name: string) => L : Kinds[K]['factory'];
};

/** An engine as users see it: the factories it offers, and nothing it lacks. */
export type Synchronizers<K extends keyof Factories = keyof Factories, L extends Lock = TimedLock> = Pick<
  Factories<L>,
  K
> &
  AsyncDisposable & {
    /** Tells engines apart in errors, events and the order of a multi-lock. */
    readonly label: string;
    /** What users can count on where engines differ. */
    readonly traits: Traits;
    /** Makes an explicit owner: holds acquired with it are re-entrant. */
    owner(label?: string): Owner;
    /** Calls the listener after every event of this name; returns a function that ends that. */
    on<E extends keyof EventMap>(event: E, listener: (event: EventMap[E]) => void): () => void;
    /** Releases every hold of this object and rejects its waiters with `ClosedError`. A client that you passed in stays open. */
    close(): Promise<void>;
  };

/** What `connect` gives, whatever the store: all nine synchronizers, and an inspector. */
export type Locks = Synchronizers & {
  /** Shows what is held and waited for, and can break a hold. */
  readonly inspector: Inspector;
};
