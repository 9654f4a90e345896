import type { Barrier } from './api/barrier.ts';
import type { Election } from './api/election.ts';
import type { EventMap } from './api/events.ts';
import type { Owner } from './api/hold.ts';
import type { Latch } from './api/latch.ts';
import type { FencedLock, Lock } from './api/lock.ts';
import type { Monitor } from './api/monitor.ts';
import type { PermitSemaphore } from './api/permit-semaphore.ts';
import type { ReadWriteLock } from './api/read-write-lock.ts';
import type { Semaphore } from './api/semaphore.ts';
import type { Traits } from './engine/traits.ts';

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

/**
 * Everything an engine can offer, by name. `L` is what its locks are: a plain {@link Lock} where the store numbers the holds
 * itself, so that no client can raise a fence. Such a lock is no member of a quorum, and its type says so.
 */
export interface Factories<L extends Lock = FencedLock> {
  lock(name: string): L;
  fairLock(name: string): L;
  readWriteLock(name: string): ReadWriteLock;
  semaphore(name: string, options: { readonly permits: number }): Semaphore;
  permitSemaphore(name: string, options: { readonly permits: number }): PermitSemaphore;
  latch(name: string): Latch;
  barrier(name: string, options: { readonly parties: number }): Barrier;
  election<V = string>(name: string): Election<V>;
  monitor<S>(name: string, options: { readonly initial: S }): Monitor<S>;
}

/** An engine as users see it: the factories it offers, and nothing it lacks. */
export type Synchronizers<K extends keyof Factories = keyof Factories, L extends Lock = FencedLock> = Pick<
  Factories<L>,
  K
> &
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
