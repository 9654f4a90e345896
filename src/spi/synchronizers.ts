import type { EventMap } from './api/events.ts';
import type { Owner } from './api/hold.ts';
import type { Traits } from './engine/traits.ts';
import type { Kind, Kinds } from './kinds.ts';

export type * from './api/barrier.ts';
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

/** Every factory that an engine can offer, by the kind that it makes. */
export type Factories = { [K in Kind]: Kinds[K]['factory'] };

/** An engine as users see it: the factories it offers, and nothing it lacks. */
export type Synchronizers<K extends keyof Factories = keyof Factories> = Pick<Factories, K> &
  AsyncDisposable & {
    /** Tells engines apart in errors, events and the order of a multi-lock. */
    readonly label: string;
    readonly traits: Traits;
    /** An explicit owner: holds acquired with it are re-entrant. */
    owner(label?: string): Owner;
    /** Listens; returns a function that ends it. */
    on<E extends keyof EventMap>(event: E, listener: (event: EventMap[E]) => void): () => void;
    /** Releases what this object holds, rejects its waiters with `ClosedError`, leaves your client open. */
    close(): Promise<void>;
  };
