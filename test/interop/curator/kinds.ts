import { memberPaths, type Side } from './sides.ts';

/** What one side holds and what the other then waits for. */
export interface Kind {
  readonly title: string;
  readonly first: Side;
  readonly second: Side;
}

/** Every pair that keeps each other out. */
export const KINDS: readonly Kind[] = [
  { title: 'lock', first: 'lock', second: 'lock' },
  { title: 'fair lock', first: 'fairLock', second: 'fairLock' },
  { title: 'write lock', first: 'writeLock', second: 'writeLock' },
  { title: 'write lock before a read lock', first: 'writeLock', second: 'readLock' },
  { title: 'read lock before a write lock', first: 'readLock', second: 'writeLock' },
  { title: 'semaphore', first: 'semaphore', second: 'semaphore' },
  { title: 'semaphore mutex', first: 'semaphoreMutex', second: 'semaphoreMutex' },
  { title: 'multi-lock', first: 'multiLock', second: 'multiLock' },
];

/** Those that end with the session of their process. */
export const SESSION_BOUND: readonly Kind[] = [
  ...KINDS,
  { title: 'election', first: 'election', second: 'election' },
];

/** Those that admit no second holder of the same side. */
export const EXCLUSIVE = KINDS.filter(({ first, second }) => first === second);

/** Those that Curator knows the owner of: the thread. */
export const OWNED = KINDS.filter(({ first }) => !first.startsWith('semaphore') && first !== 'multiLock');

/** The name by which this process tells that it waits. */
export function contendedName(side: Side, path: string): string {
  return side === 'multiLock' ? memberPaths(path)[0] : path;
}
