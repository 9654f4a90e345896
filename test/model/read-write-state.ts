import type { Held } from '../../src/rules/lease.ts';
import type { ReadWriteLockState } from '../../src/rules/read-write-lock.ts';
import type { OwnerId } from '../../src/spi/rule.ts';
import type { Place } from './holding-kind.ts';

/**
 * Redis keeps the write side and the hash by one and the same time, which is that of the longest hold: a read that is
 * taken or renewed under a write prolongs the write. And it takes a while to forget: a reader whose time is over stays
 * in the hash until another step finds it there, or the hash goes.
 */
export interface RedisReadWriteState extends ReadWriteLockState {
  /** The readers in the hash, in the order in which they came. */
  readonly fields: readonly OwnerId[];
}

export function holdersOf({ holders }: RedisReadWriteState, now: number): RedisReadWriteState['holders'] {
  const standing = (held: readonly Held[]) => held.filter(({ until }) => until > now);
  return { read: standing(holders.read), write: standing(holders.write) };
}

export function holdKey({ name }: Pick<Place, 'name'>, owner: OwnerId, count = 1): string {
  return `{${name}}:${owner}:rwlock_timeout:${count}`;
}
