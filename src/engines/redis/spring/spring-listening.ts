import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { RedisContext } from '../redis-context.ts';
import type { SpringKeys } from './spring-keys.ts';

/** How waiters learn of a release: by asking again and again, or by a message. A registry has one of the two. */
export type SpringLockType = 'spin' | 'pubSub';

/** Those of this process who wait for locks of one registry, and how they hear of a release. */
export interface SpringListening {
  /** How many wait for this lock. */
  count(lock: string): number;
  watch(lock: string, heard: () => void): Promise<Unwatch>;
  /** Whether a release learns how many others listen: not without messages, and in a cluster each server counts its own. */
  readonly isKnown: boolean;
}

/**
 * Hears both ways in which Java tells of a release, the old and the new, each for all locks of the registry: a fleet
 * may have both. Where nobody tells, it only counts.
 */
export function springListening(
  { scripts, channels }: RedisContext,
  keys: SpringKeys,
  type: SpringLockType,
): SpringListening {
  const counts = new Map<string, number>();
  const add = (lock: string, more: 1 | -1): void => {
    const count = (counts.get(lock) ?? 0) + more;
    if (count === 0) counts.delete(lock);
    else counts.set(lock, count);
  };

  async function subscribe(lock: string, heard: () => void): Promise<Unwatch> {
    const unwatches = await Promise.all([
      channels.watchByPattern(keys.channels, keys.channel(lock), heard, scripts.subject('springLock', lock)),
      channels
        .watch('channel', keys.oldChannel, (message) => {
          // Without words after a gap: any of them may have been given back.
          if (message === lock || message === '') heard();
        })
        // Only old programs tell it: a user who may not hear it misses none of the others.
        .catch(() => () => undefined),
    ]);
    return () => {
      for (const unwatch of unwatches) unwatch();
    };
  }

  return {
    isKnown: type === 'pubSub' && scripts.driver.topology !== 'cluster',
    count: (lock) => counts.get(lock) ?? 0,
    watch: async (lock, heard) => {
      add(lock, 1);
      let unwatch: Unwatch | undefined;
      try {
        if (type === 'pubSub') unwatch = await subscribe(lock, heard);
      } catch (error) {
        add(lock, -1);
        throw error;
      }
      let over = false;
      return () => {
        if (over) return;
        over = true;
        add(lock, -1);
        unwatch?.();
      };
    },
  };
}
