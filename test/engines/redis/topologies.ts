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
  const shared = new SharedClient((kind) => kind.sentinel(ports, servers.masterName));
  return {
    connect: (kind) => shared.connect(kind),
    masters: () => [servers.replication.master],
    ownChannels: ['__sentinel__:hello'],
    stop: async () => {
      await shared.close();
      await servers.stop();
    },
  };
}

async function cluster(): Promise<Topology> {
  const servers = await startRedisCluster();
  const shared = new SharedClient((kind) => kind.cluster(servers.nodes.map(({ port }) => port)));
  return {
    connect: (kind) => shared.connect(kind),
    masters: () => servers.nodes.slice(0, 3),
    ownChannels: [],
    stop: async () => {
      await shared.close();
      await servers.stop();
    },
  };
}

/** One client for all engine objects, as most programs have it: those of a cluster or of Sentinels cost much to make. */
class SharedClient {
  readonly #make: (kind: ClientKind) => Promise<UserClient>;
  #made: Promise<UserClient> | undefined;

  constructor(make: (kind: ClientKind) => Promise<UserClient>) {
    this.#make = make;
  }

  async connect(kind: ClientKind): Promise<UserClient> {
    const { client } = await (this.#made ??= this.#make(kind));
    return { client, close: async () => undefined };
  }

  async close(): Promise<void> {
    await (await this.#made)?.close();
  }
}
