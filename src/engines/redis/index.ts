import type { Synchronizers } from '../../spi/synchronizers.ts';
import { driverFor } from './drivers/recognise.ts';
import { openEngine, type redisTraits } from './open-engine.ts';
import type { RedisExtras } from './redis-extras.ts';
import type { RedisOptions } from './redis-options.ts';

export type * from '../../spi/engine/inspector.ts';
export type { BareSemaphoreFactory } from './locks/bare-semaphores.ts';
export type { RedisExtras } from './redis-extras.ts';
export type { RedisOptions, RedisSettings } from './redis-options.ts';
export type { SpringLockFactory, SpringLockOptions } from './spring/spring-locks.ts';

/** What `redis()` returns: all nine synchronizers, and the extras that only Redis has. */
export type RedisSynchronizers = Synchronizers & RedisExtras & { readonly traits: typeof redisTraits };

/**
 * All synchronizers on your Redis, in the layout of Redisson: a Java program that uses Redisson holds and waits for the
 * same locks. Needs Redis 7.0 or newer.
 */
export function redis(options: RedisOptions): RedisSynchronizers {
  return openEngine(driverFor(options.client), options);
}
