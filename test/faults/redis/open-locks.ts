import { Cluster, Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import {
  redis,
  type RedisClientLike,
  type RedisSettings,
  type RedisSynchronizers,
} from '../../../src/engines/redis/index.ts';

/** The two client libraries, each at its newest. They differ in what they do when a connection breaks. */
export type ClientName = 'node-redis' | 'ioredis';
export const CLIENT_NAMES: readonly ClientName[] = ['node-redis', 'ioredis'];

/** Where the servers are, in a form that can be told to another process. */
export type Place =
  | ({ readonly port: number } & Credentials)
  | { readonly sentinels: readonly number[]; readonly masterName: string }
  | { readonly cluster: readonly number[] };

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

interface UserClient {
  readonly client: RedisClientLike;
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** An engine on a client of its own, which is closed with it. */
export async function openLocks(
  clientName: ClientName,
  place: Place,
  settings: RedisSettings = {},
): Promise<RedisSynchronizers> {
  const user = await openClient(clientName, place);
  const engine = redis({ client: user.client, ...settings });
  const close = async (): Promise<void> => {
    await engine.close();
    await user.close();
  };
  return { ...engine, close, [Symbol.asyncDispose]: close };
}

/** A client as a user would have made it, with what the library does by itself left as it is. */
export function openClient(clientName: ClientName, place: Place): Promise<UserClient> {
  return clientName === 'ioredis' ? openIoredis(place) : openNodeRedis(place);
}

async function openNodeRedis(place: Place): Promise<UserClient> {
  const client = nodeRedisFor(place);
  client.on('error', () => undefined);
  await client.connect();
  return {
    client,
    close: async () => {
      if (client.isOpen) await client.destroy();
    },
  };
}

function nodeRedisFor(place: Place) {
  if ('sentinels' in place) {
    const sentinelRootNodes = place.sentinels.map((port) => ({ host, port }));
    return createSentinel({ name: place.masterName, sentinelRootNodes });
  }
  if ('cluster' in place) {
    return createCluster({ rootNodes: place.cluster.map((port) => ({ socket: { host, port } })) });
  }
  return createClient({ socket: { host, port: place.port }, ...credentialsOf(place) });
}

async function openIoredis(place: Place): Promise<UserClient> {
  const client = ioredisFor(place);
  client.on('error', () => undefined);
  await new Promise<void>((resolve) => client.once('ready', resolve));
  return {
    client,
    // Its end is not waited for: one that is between two attempts to connect never tells of it.
    close: async () => client.disconnect(),
  };
}

function ioredisFor(place: Place): Redis | Cluster {
  if ('sentinels' in place) {
    const sentinels = place.sentinels.map((port) => ({ host, port }));
    return new Redis({ sentinels, name: place.masterName });
  }
  if ('cluster' in place) return new Cluster(place.cluster.map((port) => ({ host, port })));
  // Its check at the start asks for INFO, and complains on the console if its user may not.
  const enableReadyCheck = place.username === undefined;
  return new Redis({ host, port: place.port, enableReadyCheck, ...credentialsOf(place) });
}

/** Nothing else of it: a server is a place, too, and has an address that a client would take for its own. */
function credentialsOf({ username, password }: Credentials): Credentials {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}
