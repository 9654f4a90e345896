import { importIfInstalled } from '../../../../core/import-package.ts';
import { EngineError } from '../../../../spi/errors.ts';
import type { RedisAddress } from './redis-address.ts';
import type { IoredisClient, IoredisCluster } from '../ioredis/ioredis-shapes.ts';
import type {
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinel,
} from '../node-redis/node-redis-shapes.ts';

export interface NodeRedisModule {
  createClient(options: object): NodeRedisClient;
  createCluster(options: object): NodeRedisCluster;
  createSentinel(options: object): NodeRedisSentinel;
}

export interface IoredisModule {
  readonly Redis: new (options: object) => IoredisClient;
  readonly Cluster: new (nodes: readonly object[], options: object) => IoredisCluster;
}

export type ClientModule =
  | { readonly kind: 'node-redis'; readonly module: NodeRedisModule }
  | { readonly kind: 'ioredis'; readonly module: IoredisModule };

/** Imports a package: undefined if it is not installed. */
type Importer = () => Promise<object | undefined>;

/** In order of preference: Redis recommends node-redis, and node-redis never sends a command twice. */
const ofRedis = ['@redis/client', 'redis', 'ioredis'];
/** Made from ioredis for Valkey, and used like it: a program that has it speaks to a Valkey by it. */
const OF_VALKEY = 'iovalkey';

/** Imports the clients for a kind of server. */
export function importersFor(server: RedisAddress['server']): readonly Importer[] {
  const names = server === 'valkey' ? [OF_VALKEY, ...ofRedis] : [...ofRedis, OF_VALKEY];
  return names.map((name) => () => importIfInstalled(name));
}

/** Loads the first client that is installed and new enough. */
export async function loadClientModule(
  candidates: readonly Importer[] = importersFor('redis'),
): Promise<ClientModule> {
  for (const candidate of candidates) {
    const module = await candidate();
    if (module === undefined) continue;
    // Exports that only the supported major versions have.
    if ('createSentinel' in module) return { kind: 'node-redis', module: module as NodeRedisModule };
    if ('Redis' in module && 'Cluster' in module) return { kind: 'ioredis', module: module as IoredisModule };
  }
  throw new EngineError(
    'redis: no client is installed. Install one: `npm install redis` or `npm install ioredis`, version 5 or newer, or `npm install iovalkey`.',
    { resource: 'connect', engine: 'redis' },
    { retryable: false },
  );
}
