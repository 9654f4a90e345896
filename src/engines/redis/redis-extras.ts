import type { Protocols } from '../../spi/engine/protocols.ts';
import type { Inspector } from '../../spi/engine/inspector.ts';
import { type BareSemaphoreFactory, bareSemaphores } from './locks/bare-semaphores.ts';
import { redisInspector } from './inspector/inspector.ts';
import type { RedisContext } from './redis-context.ts';
import { type SpringLockFactory, springLocks } from './spring/spring-locks.ts';

/** What this engine offers besides the nine synchronizers. */
export interface RedisExtras {
  /**
   * A lock shared with Java programs that use Spring Integration's `RedisLockRegistry`: a Node holder excludes the Java
   * programs, and a Java holder excludes this process. It is a lock like any other. Its fence is valid as long as every
   * holder uses this library: a hold of Java has no fence.
   */
  readonly springLock: SpringLockFactory;
  /**
   * Redisson's `RSemaphore`, for names that Java programs use through `getSemaphore`: a number, with no owner and no
   * lease. The permits of a process that crashes are gone until an operator adds them, and a different total is not
   * detected. Use `semaphore` unless a Java program requires this one.
   */
  readonly bareSemaphore: BareSemaphoreFactory;
  /** Lists holders and waiters, those of Java programs too, and can break a hold. */
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
