import type { ClientMethod } from '../../spi/client-method.ts';

/** What a client and a cluster of ioredis 5 or newer have in common. */
interface AnyIoredis {
  readonly status: string;
  readonly call: ClientMethod;
  readonly pipeline: ClientMethod;
  readonly duplicate: ClientMethod;
  readonly ssubscribe: ClientMethod;
}

/** What every object of node-redis 5 or newer has, and none of node-redis 4. */
interface AnyNodeRedis {
  readonly isOpen: boolean;
  readonly destroy: ClientMethod;
}

/** A client of ioredis 5 or newer, single or with sentinels, as far as it is recognised. */
export interface IoredisClientLike extends AnyIoredis {
  readonly mode: string;
}

/** A cluster of ioredis 5 or newer, as far as it is recognised. */
export interface IoredisClusterLike extends AnyIoredis {
  readonly isCluster: boolean;
  readonly nodes: ClientMethod;
  readonly slots: readonly unknown[];
}

/** A client of node-redis 5 or newer, as far as it is recognised. */
export interface NodeRedisClientLike extends AnyNodeRedis {
  readonly sendCommand: ClientMethod;
  readonly duplicate: ClientMethod;
  readonly isPubSubActive: boolean;
}

/** A cluster of node-redis 5 or newer, as far as it is recognised. */
export interface NodeRedisClusterLike extends AnyNodeRedis {
  readonly duplicate: ClientMethod;
  readonly slots: readonly unknown[];
  readonly nodeByAddress: object;
}

/** A sentinel of node-redis 5 or newer, as far as it is recognised. */
export interface NodeRedisSentinelLike extends AnyNodeRedis {
  readonly getMasterNode: ClientMethod;
}

/**
 * What `redis({ client })` accepts, by its shape: `new Redis(…)` or `new Cluster(…)` of ioredis or iovalkey, `createClient(…)`,
 * `createCluster(…)` or `createSentinel(…)` of node-redis. The shape and not the class: a program may have two copies of a
 * package, and Holdfast needs none of them installed.
 */
export type RedisClientLike =
  IoredisClientLike | IoredisClusterLike | NodeRedisClientLike | NodeRedisClusterLike | NodeRedisSentinelLike;
