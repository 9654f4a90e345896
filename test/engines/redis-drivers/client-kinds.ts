import * as ioredis6 from 'ioredis';
import * as ioredis5 from 'ioredis-5';
import * as iovalkey from 'iovalkey';
import * as redis6 from 'redis';
import * as redis5 from 'redis-5';
import type { RedisClientLike } from '../../../src/engines/redis/index.ts';

/** A client as a user would have made it, and how that user would close it. */
export interface UserClient {
  readonly client: RedisClientLike;
  close(): Promise<void>;
}

export interface ClientKind {
  readonly name: string;
  single(port: number, options?: object): Promise<UserClient>;
  sentinel(ports: readonly number[], masterName: string, options?: object): Promise<UserClient>;
  cluster(ports: readonly number[], options?: object): Promise<UserClient>;
}

const host = '127.0.0.1';

/** Every client that we promise to work with, with each protocol that it speaks. */
export const clientKinds: readonly ClientKind[] = [
  nodeRedis('redis 6, RESP3', redis6, 3),
  nodeRedis('redis 6, RESP2', redis6, 2),
  nodeRedis('redis 5, RESP3', redis5, 3),
  nodeRedis('redis 5, RESP2', redis5, 2),
  ioredis('ioredis 6, RESP3', ioredis6, { protocol: 3 }),
  ioredis('ioredis 6, RESP2', ioredis6, { protocol: 2 }),
  ioredis('ioredis 5, RESP2', ioredis5, {}),
];

/** The client that was made for Valkey. */
export const valkeyKind = ioredis('iovalkey', iovalkey, {});

/** One of each, with the protocol that it speaks unless told otherwise: where a protocol makes no difference. */
export const plainKinds: readonly ClientKind[] = clientKinds.filter(({ name }) =>
  ['redis 6, RESP3', 'redis 5, RESP2', 'ioredis 6, RESP3', 'ioredis 5, RESP2'].includes(name),
);

/** What the two majors of node-redis have in common, as far as it is used here. */
interface NodeRedisModule {
  createClient(options: object): NodeRedisConnection;
  createSentinel(options: object): NodeRedisConnection;
  createCluster(options: object): NodeRedisConnection;
}

type NodeRedisConnection = RedisClientLike & {
  on(event: 'error', listener: () => void): unknown;
  connect(): Promise<unknown>;
  readonly isOpen: boolean;
  destroy(): Promise<void> | void;
};

function nodeRedis(name: string, module: object, RESP: 2 | 3): ClientKind {
  const redis = module as NodeRedisModule;
  const open = async (client: NodeRedisConnection): Promise<UserClient> => {
    client.on('error', () => undefined);
    await client.connect();
    return {
      client,
      close: async () => {
        if (client.isOpen) await client.destroy();
      },
    };
  };
  return {
    name,
    single: (port, options) => open(redis.createClient({ RESP, socket: { host, port }, ...options })),
    sentinel: (ports, masterName, options) =>
      open(
        redis.createSentinel({
          RESP,
          name: masterName,
          sentinelRootNodes: ports.map((port) => ({ host, port })),
          ...options,
        }),
      ),
    cluster: (ports, options) =>
      open(
        redis.createCluster({
          RESP,
          rootNodes: ports.map((port) => ({ socket: { host, port } })),
          ...options,
        }),
      ),
  };
}

interface IoredisModule {
  readonly Redis: new (options: object) => IoredisConnection;
  readonly Cluster: new (nodes: readonly object[], options: object) => IoredisConnection;
}

type IoredisConnection = RedisClientLike & {
  readonly status: string;
  on(event: 'error', listener: () => void): unknown;
  once(event: 'ready' | 'end', listener: () => void): unknown;
  disconnect(): void;
};

function ioredis(name: string, module: object, protocol: object): ClientKind {
  const { Redis, Cluster } = module as IoredisModule;
  const open = async (client: IoredisConnection): Promise<UserClient> => {
    client.on('error', () => undefined);
    if (client.status !== 'wait') await new Promise<void>((resolve) => client.once('ready', resolve));
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      // While it waits to connect again it ends without saying so.
      const ended = client.status === 'ready' && new Promise<void>((resolve) => client.once('end', resolve));
      client.disconnect();
      await ended;
    };
    return { client, close: () => (closed ??= close()) };
  };
  return {
    name,
    single: (port, options) => open(new Redis({ host, port, ...protocol, ...options })),
    sentinel: (ports, masterName, options) =>
      open(
        new Redis({
          sentinels: ports.map((port) => ({ host, port })),
          name: masterName,
          ...protocol,
          ...options,
        }),
      ),
    cluster: (ports, options) =>
      open(
        new Cluster(
          ports.map((port) => ({ host, port })),
          { redisOptions: protocol, ...options },
        ),
      ),
  };
}
