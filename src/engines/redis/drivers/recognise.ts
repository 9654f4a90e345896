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

/** What a kind of object has and no other kind has all of: the way to recognise it without its class. */
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

/** Only ioredis 4 has this, whose cluster looks the same otherwise. */
const markOfOld = '_addedScriptHashes';

/**
 * The driver for a user's client, which is recognised by its shape and never by its class: a program may well have two
 * copies of a client's package.
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
  // It makes text of numbers, and then nobody can tell them from text: we need a connection of our own.
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
