import type { RedisDriver } from '../driver.ts';
import { IoredisClusterDriver } from './ioredis/ioredis-cluster-driver.ts';
import { IoredisDriver } from './ioredis/ioredis-driver.ts';
import type { IoredisClient, IoredisCluster } from './ioredis/ioredis-shapes.ts';
import { NodeRedisClusterDriver } from './node-redis/node-redis-cluster-driver.ts';
import { NodeRedisDriver } from './node-redis/node-redis-driver.ts';
import { keyPrefixOf } from './node-redis/node-redis-internals.ts';
import { NodeRedisSentinelDriver } from './node-redis/node-redis-sentinel-driver.ts';
import type { NodeRedisClient, NodeRedisCluster, NodeRedisSentinel } from './node-redis/node-redis-shapes.ts';
import { refusePrefix, refuseStranger, refuseSubscribed } from './refusal.ts';

/** Recognises a kind of object without its class, by members that no other kind has all of. */
class Shape<T extends object> {
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  fits(value: unknown): value is T {
    return typeof value === 'object' && value !== null && this.#names.every((name) => name in value);
  }
}

const shapes = {
  ioredis: new Shape<IoredisClient>(['call', 'pipeline', 'duplicate', 'ssubscribe', 'status', 'mode']),
  ioredisCluster: new Shape<IoredisCluster>(['call', 'pipeline', 'duplicate', 'isCluster', 'nodes', 'slots']),
  nodeRedis: new Shape<NodeRedisClient>(['sendCommand', 'duplicate', 'destroy', 'isOpen', 'isPubSubActive']),
  nodeRedisCluster: new Shape<NodeRedisCluster>(['duplicate', 'destroy', 'isOpen', 'slots', 'nodeByAddress']),
  nodeRedisSentinel: new Shape<NodeRedisSentinel>(['destroy', 'isOpen', '_execute', 'getMasterNode']),
};

/** A member of ioredis 4 only, whose cluster looks the same otherwise. */
const markOfOld = '_addedScriptHashes';

/**
 * The driver for a user's client. Recognises the client by its shape and never by its class: a program may have two copies
 * of a client's package.
 */
export function driverFor(client: unknown): RedisDriver {
  if (shapes.ioredisCluster.fits(client) && !(markOfOld in client)) return ioredisCluster(client);
  if (shapes.ioredis.fits(client)) return ioredis(client);
  if (shapes.nodeRedisCluster.fits(client)) return nodeRedisCluster(client);
  if (shapes.nodeRedisSentinel.fits(client)) return nodeRedisSentinel(client);
  if (shapes.nodeRedis.fits(client)) return nodeRedis(client);
  return refuseStranger(client);
}

function ioredis(client: IoredisClient): RedisDriver {
  refusePrefix(client.options.keyPrefix);
  refuseSubscribed(client.mode !== 'normal');
  if (client.options.stringNumbers !== true) return new IoredisDriver(client);
  // This client converts numbers to text, which then look like any text: the driver needs a connection of its own.
  return IoredisDriver.owning(client.duplicate({ stringNumbers: false, lazyConnect: true }));
}

function ioredisCluster(cluster: IoredisCluster): RedisDriver {
  const { keyPrefix, redisOptions } = cluster.options;
  refusePrefix(keyPrefix ?? redisOptions?.keyPrefix);
  if (redisOptions?.stringNumbers !== true) return new IoredisClusterDriver(cluster);
  const overrides = { lazyConnect: true, redisOptions: { ...redisOptions, stringNumbers: false } };
  return IoredisClusterDriver.owning(cluster.duplicate([], overrides));
}

function nodeRedis(client: NodeRedisClient): RedisDriver {
  refusePrefix(client.options?.keyPrefix);
  refuseSubscribed(client.isPubSubActive);
  return new NodeRedisDriver(client);
}

function nodeRedisCluster(cluster: NodeRedisCluster): RedisDriver {
  refusePrefix(keyPrefixOf(cluster));
  return new NodeRedisClusterDriver(cluster);
}

function nodeRedisSentinel(sentinel: NodeRedisSentinel): RedisDriver {
  refusePrefix(keyPrefixOf(sentinel));
  return new NodeRedisSentinelDriver(sentinel);
}
