import type { NodeRedisModule } from '../opening/client-module.ts';
import { connectNodeRedis, destroyNodeRedis } from './connect-node-redis.ts';
import { NodeRedisClusterDriver } from './node-redis-cluster-driver.ts';
import { NodeRedisDriver } from './node-redis-driver.ts';
import { NodeRedisSentinelDriver } from './node-redis-sentinel-driver.ts';
import { type Opening, reconnectDelayMs } from '../opened-connections.ts';
import type { RedisAddress } from '../opening/redis-address.ts';

/** Creates a node-redis client of our own. */
export function openNodeRedis(module: NodeRedisModule, address: RedisAddress): Opening {
  const { hosts, username, password, database } = address;
  const way = {
    tls: address.tls,
    ...address.tlsOptions,
    ...(address.family !== undefined && { family: address.family }),
  };
  const socket = { ...way, reconnectStrategy: reconnectDelayMs };
  const login = { name: 'holdfast', username, password };

  if (address.topology === 'sentinel') {
    const sentinel = module.createSentinel({
      name: address.masterName,
      sentinelRootNodes: hosts,
      sentinelClientOptions: { socket: way },
      nodeClientOptions: { ...login, database, socket },
    });
    return {
      emitter: sentinel,
      connect: async () => {
        await sentinel.connect();
        return NodeRedisSentinelDriver.owning(sentinel);
      },
      abandon: () => sentinel.destroy(),
    };
  }

  if (address.topology === 'cluster') {
    const cluster = module.createCluster({
      rootNodes: hosts.map((host) => ({ socket: { ...host, ...way } })),
      defaults: { ...login, socket },
      // Otherwise one server that is down would block the connections to all others.
      minimizeConnections: true,
    });
    return {
      emitter: cluster,
      connect: async () => {
        await cluster.connect();
        return NodeRedisClusterDriver.owning(cluster);
      },
      abandon: () => cluster.destroy(),
    };
  }

  const client = module.createClient({ ...login, database, socket: { ...socket, ...hosts[0] } });
  return {
    emitter: client,
    connect: async () => {
      await connectNodeRedis(client);
      return NodeRedisDriver.owning(client);
    },
    abandon: () => destroyNodeRedis(client),
  };
}
