import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import type { ClientKind, UserClient } from '../redis-drivers/client-kinds.ts';

/** Real servers, and how a user's client gets there. */
export interface Topology {
  connect(kind: ClientKind): Promise<UserClient>;
  masters(): readonly RedisServer[];
  /** Channels that the servers themselves listen to. */
  readonly ownChannels: readonly string[];
  stop(): Promise<void>;
}

export const topologies = { single, sentinel, cluster } as const;

async function single(): Promise<Topology> {
  const server = await startRedisServer();
  return {
    connect: (kind) => kind.single(server.port),
    masters: () => [server],
    ownChannels: [],
    stop: () => server.stop(),
  };
}

async function sentinel(): Promise<Topology> {
  const servers = await startRedisSentinel();
  const ports = servers.sentinels.map(({ port }) => port);
  // One client for all engine objects, as most programs have it; and a Sentinel client of node-redis costs a tenth of a
  // second of computing to make.
  let shared: Promise<UserClient> | undefined;
  return {
    connect: async (kind) => {
      const { client } = await (shared ??= kind.sentinel(ports, servers.masterName));
      return { client, close: async () => undefined };
    },
    masters: () => [servers.replication.master],
    ownChannels: ['__sentinel__:hello'],
    stop: async () => {
      await (await shared)?.close();
      await servers.stop();
    },
  };
}

async function cluster(): Promise<Topology> {
  const servers = await startRedisCluster();
  return {
    connect: (kind) => kind.cluster(servers.nodes.map(({ port }) => port)),
    masters: () => servers.nodes.slice(0, 3),
    ownChannels: [],
    stop: () => servers.stop(),
  };
}
