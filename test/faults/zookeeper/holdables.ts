import type { Hold } from '../../../src/index.ts';
import type { ProxiedLocks } from './proxied-locks.ts';

type Locks = ProxiedLocks['locks'];

interface WaitOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What can be held, and where its tickets are. */
interface Holdable {
  readonly kind: string;
  /** Below the name. */
  readonly folders: readonly string[];
  /** How many tickets a hold is. */
  readonly holds: number;
  /** Whether a second hold waits for the first. */
  readonly excludes: boolean;
  readonly acquire: (locks: Locks, name: string, options?: WaitOptions) => Promise<Hold>;
}

export const holdables: readonly Holdable[] = [
  {
    kind: 'lock',
    folders: [''],
    holds: 1,
    excludes: true,
    acquire: (locks, name, options = {}) => locks.lock(name).acquire(options),
  },
  {
    kind: 'fairLock',
    folders: [''],
    holds: 1,
    excludes: true,
    acquire: (locks, name, options = {}) => locks.fairLock(name).acquire(options),
  },
  {
    kind: 'read side',
    folders: [''],
    holds: 1,
    excludes: false,
    acquire: (locks, name, options = {}) => locks.readWriteLock(name).read.acquire(options),
  },
  {
    kind: 'write side',
    folders: [''],
    holds: 1,
    excludes: true,
    acquire: (locks, name, options = {}) => locks.readWriteLock(name).write.acquire(options),
  },
  {
    kind: 'semaphore',
    folders: ['/locks', '/leases'],
    holds: 2,
    excludes: true,
    acquire: (locks, name, options = {}) =>
      locks.semaphore(name, { permits: 3 }).acquire({ permits: 2, ...options }),
  },
  {
    kind: 'election',
    folders: [''],
    holds: 1,
    excludes: true,
    acquire: (locks, name, options = {}) => locks.election(name).campaign({ value: 'me', ...options }),
  },
];
