import type { Protocols } from '../../spi/engine/protocols.ts';
import type { Inspector } from '../../spi/engine/inspector.ts';
import { type BareSemaphoreFactory, bareSemaphores } from './locks/bare-semaphores.ts';
import { redisInspector } from './inspector/inspector.ts';
import type { RedisContext } from './redis-context.ts';
import { type SpringLockFactory, springLocks } from './spring/spring-locks.ts';

/** What this engine offers beside the synchronizers that every engine has. */
export interface RedisExtras {
  /**
   * A lock that is shared with Java programs that use Spring Integration's `RedisLockRegistry`: a process that holds it
   * here keeps them out, and they keep out this process. It is a lock like any other, with a fence as long as all who
   * hold it are ours: what Java holds has none.
   */
  readonly springLock: SpringLockFactory;
  /**
   * Redisson's `RSemaphore`, for names that Java programs use through `getSemaphore`: a number, with no owner and no
   * lease. The permits of a process that crashes are gone until a person adds them, and another number of permits is
   * not noticed. Use `semaphore` wherever Java does not force this one on you.
   */
  readonly bareSemaphore: BareSemaphoreFactory;
  /** Shows what is held and waited for, Java's too, and can break a hold. */
  readonly inspector: Inspector;
}

export function redisExtras(
  parts: RedisContext,
  protocols: Protocols,
  commandTimeoutMs: number,
): RedisExtras {
  return {
    springLock: springLocks(parts),
    bareSemaphore: bareSemaphores(parts),
    inspector: redisInspector(parts, protocols, commandTimeoutMs),
  };
}
