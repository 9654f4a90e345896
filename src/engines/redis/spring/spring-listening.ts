import type { Unwatch } from '../../../spi/engine/protocol.ts';
import { WaiterCounts } from '../../../kernels/waiter-counts.ts';
import type { RedisContext } from '../redis-context.ts';
import type { SpringKeys } from './spring-keys.ts';

/** How waiters learn of a release: by polling, or by a message. A registry uses one of the two. */
export type SpringLockType = 'spin' | 'pubSub';

/** The waiters of this process for the locks of one registry, and how they learn of a release. */
export interface SpringListening {
  /** The number of waiters for this lock. */
  count(lock: string): number;
  watch(lock: string, heard: () => void): Promise<Unwatch>;
  /** Whether a release learns the number of other listeners: not without messages, and not in a cluster, where each server counts its own. */
  readonly isKnown: boolean;
}

/**
 * Subscribes to both channels on which Java reports a release, the old and the new, each for all locks of the registry: a
 * fleet may use both. For a registry that polls it only counts the waiters.
 */
export function springListening(
  { scripts, channels }: RedisContext,
  keys: SpringKeys,
  type: SpringLockType,
): SpringListening {
  const waiters = new WaiterCounts();

  async function subscribe(lock: string, heard: () => void): Promise<Unwatch> {
    const unwatches = await Promise.all([
      channels.watchByPattern(keys.channels, keys.channel(lock), heard, scripts.subject('springLock', lock)),
      channels
        .watch('channel', keys.oldChannel, (message) => {
          // An empty message reports a gap: any lock may have been released.
          if (message === lock || message === '') heard();
        })
        // Only old programs use this channel: where the ACL forbids it, no message of the newer ones is missed.
        .catch(() => () => undefined),
    ]);
    return () => {
      for (const unwatch of unwatches) unwatch();
    };
  }

  return {
    isKnown: type === 'pubSub' && scripts.driver.topology !== 'cluster',
    count: (lock) => waiters.count(lock),
    watch: async (lock, heard) => {
      const leave = waiters.watch(lock);
      if (type === 'spin') return leave;
      try {
        const unwatch = await subscribe(lock, heard);
        let over = false;
        return () => {
          if (over) return;
          over = true;
          leave();
          unwatch();
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}
