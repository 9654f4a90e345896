import { memberNames, type Side } from './sides.ts';

/** What one side holds and what the other then waits for. */
export interface Kind {
  readonly title: string;
  readonly first: Side;
  readonly second: Side;
}

/** Every pair that keeps each other out. */
export const KINDS: readonly Kind[] = [
  { title: 'lock', first: 'lock', second: 'lock' },
  { title: 'fenced lock', first: 'fencedLock', second: 'fencedLock' },
  { title: 'fair lock', first: 'fairLock', second: 'fairLock' },
  { title: 'write lock', first: 'writeLock', second: 'writeLock' },
  { title: 'write lock before a read lock', first: 'writeLock', second: 'readLock' },
  { title: 'read lock before a write lock', first: 'readLock', second: 'writeLock' },
  { title: 'multi-lock', first: 'multiLock', second: 'multiLock' },
  { title: 'semaphore', first: 'semaphore', second: 'semaphore' },
  { title: 'bare semaphore', first: 'bareSemaphore', second: 'bareSemaphore' },
  { title: 'permit semaphore', first: 'permitSemaphore', second: 'permitSemaphore' },
];

/** Those that no other client can be let in beside, whichever owner asks. */
export const EXCLUSIVE = KINDS.filter(({ first, second }) => first === second);

/** Those that end by themselves on the Java side, too: permits of a bare semaphore have no owner. */
export const LEASED = KINDS.filter(({ first }) => first !== 'bareSemaphore');

/** Those that Java knows the owner of: the thread. */
export const OWNED = LEASED.filter(({ first }) => first !== 'semaphore' && first !== 'permitSemaphore');

/** Those that can be taken away from their holders. */
export const BREAKABLE = OWNED.filter(({ first }) => first !== 'multiLock');

/** The key in which the hold is seen to be renewed. */
export function renewedKey(side: Side, name: string): string {
  return side === 'multiLock' ? memberNames(name)[1] : name;
}

/** The name by which this process tells that it waits. */
export function contendedName(side: Side, name: string): string {
  return side === 'multiLock' ? memberNames(name)[0] : name;
}

/** What Java listens to while it waits, or how it begins. */
export function channelOf(side: Side, name: string): { readonly channel: string; readonly name: string } {
  const listened = side === 'multiLock' ? memberNames(name)[0] : name;
  return { channel: `${CHANNELS[side]}:{${listened}}`, name: listened };
}

const LOCKS = 'redisson_lock__channel';
const READ_WRITE_LOCKS = 'redisson_rwlock';
const SEMAPHORES = 'redisson_sc';

const CHANNELS: Readonly<Record<Side, string>> = {
  lock: LOCKS,
  fencedLock: LOCKS,
  fairLock: LOCKS,
  multiLock: LOCKS,
  readLock: READ_WRITE_LOCKS,
  writeLock: READ_WRITE_LOCKS,
  semaphore: SEMAPHORES,
  bareSemaphore: SEMAPHORES,
  permitSemaphore: SEMAPHORES,
};
