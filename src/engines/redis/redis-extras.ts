import type { Protocols } from '../../kernels/protocols.ts';
import type { Inspector } from '../../spi/inspector.ts';
import { redisInspector } from './inspector/inspector.ts';
import type { RedisParts } from './redis-parts.ts';
import { type SpringLockFactory, springLocks } from './spring/spring-locks.ts';

/** What this engine offers beside the synchronizers that every engine has. */
export interface RedisExtras {
  /**
   * A lock that is shared with Java programs that use Spring Integration's `RedisLockRegistry`: a process that holds it
   * here keeps them out, and they keep out this process. It is a lock like any other, with a fence as long as all who
   * hold it are ours: what Java holds has none.
   */
  readonly springLock: SpringLockFactory;
  /** Shows what is held and waited for, Java's too, and can break a hold. */
  readonly inspector: Inspector;
}

export function redisExtras(parts: RedisParts, protocols: Protocols, commandTimeoutMs: number): RedisExtras {
  return {
    springLock: springLocks(parts),
    inspector: redisInspector(parts, protocols, commandTimeoutMs),
  };
}
