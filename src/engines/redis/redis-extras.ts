import type { RedisParts } from './redis-parts.ts';
import { type SpringLockFactory, springLocks } from './spring-locks.ts';

/** What this engine offers beside the synchronizers that every engine has. */
export interface RedisExtras {
  /**
   * A lock that is shared with Java programs that use Spring Integration's `RedisLockRegistry`: a process that holds it
   * here keeps them out, and they keep out this process. It is a lock like any other, with a fence as long as all who
   * hold it are ours: what Java holds has none.
   */
  readonly springLock: SpringLockFactory;
}

export function redisExtras(parts: RedisParts): RedisExtras {
  return { springLock: springLocks(parts) };
}
