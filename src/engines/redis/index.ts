import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import { driverFor } from './drivers/recognise.ts';
import { openEngine, type redisTraits } from './open-engine.ts';
import type { RedisExtras } from './redis-extras.ts';
import { checkOptions, type RedisOptions } from './redis-options.ts';

export type * from '../../spi/engine/inspector.ts';
export type { BareSemaphoreFactory } from './locks/bare-semaphores.ts';
export type { RedisExtras } from './redis-extras.ts';
export type {
  IoredisClientLike,
  IoredisClusterLike,
  NodeRedisClientLike,
  NodeRedisClusterLike,
  NodeRedisSentinelLike,
  RedisClientLike,
} from './redis-client.ts';
export type { RedisOptions, RedisSettings } from './redis-options.ts';
export type { SpringLockFactory, SpringLockOptions } from './spring/spring-locks.ts';

/** What `redis()` returns: all nine synchronizers, and the extras that only Redis has. */
export type RedisSynchronizers = Synchronizers &
  RedisExtras & {
    /** What users can count on in this engine. */
    readonly traits: typeof redisTraits;
  };

const call = {
  engine: 'redis',
  option: 'client',
  what: 'your client of node-redis or ioredis',
  byAddress: "await connect('redis://host:6379')",
};

/**
 * All synchronizers on your Redis, in the layout of Redisson: a Java program that uses Redisson holds and waits for the
 * same locks. Needs Redis 7.0 or newer.
 */
export function redis(options: RedisOptions): RedisSynchronizers {
  checkFactoryArgument(options, call);
  checkOptions(options);
  return openEngine(driverFor(options.client), options);
}
