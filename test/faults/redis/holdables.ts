import type { Hold, HoldOptions, Synchronizers } from '../../../src/index.ts';

/** One thing that only one can hold. */
export interface Holdable {
  readonly kind: 'lock' | 'fairLock' | 'writeLock' | 'semaphore' | 'permitSemaphore' | 'election';
  readonly acquire: (options?: HoldOptions) => Promise<Hold>;
}

/** One of each kind that is held by a lease, by the same names in every process: its kind and what is given. */
export function holdables(locks: Synchronizers, suffix = ''): readonly Holdable[] {
  const lock = locks.lock(`lock${suffix}`);
  const fairLock = locks.fairLock(`fairLock${suffix}`);
  const { write } = locks.readWriteLock(`writeLock${suffix}`);
  const pool = locks.semaphore(`semaphore${suffix}`, { permits: 1 });
  const seat = locks.permitSemaphore(`permitSemaphore${suffix}`, { permits: 1 });
  const election = locks.election(`election${suffix}`);
  return [
    { kind: 'lock', acquire: (options) => lock.acquire(options) },
    { kind: 'fairLock', acquire: (options) => fairLock.acquire(options) },
    { kind: 'writeLock', acquire: (options) => write.acquire(options) },
    { kind: 'semaphore', acquire: (options) => pool.acquire(options) },
    { kind: 'permitSemaphore', acquire: (options) => seat.acquire(options) },
    { kind: 'election', acquire: (options) => election.campaign(options) },
  ];
}
