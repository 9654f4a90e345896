import { EngineError } from '../../../../spi/errors.ts';
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

/** Imports a package, which may not be installed. */
type Importer = () => Promise<object>;

/** In order of preference: Redis recommends node-redis, and node-redis never sends a command twice. */
const importers: readonly Importer[] = [
  () => import('@redis/client'),
  () => import('redis'),
  () => import('ioredis'),
];

/** Loads the first client that is installed and new enough. */
export async function loadClientModule(candidates: readonly Importer[] = importers): Promise<ClientModule> {
  for (const candidate of candidates) {
    const module = await candidate().catch(unlessMissing);
    if (module === undefined) continue;
    // Exports that only the supported major versions have.
    if ('createSentinel' in module) return { kind: 'node-redis', module: module as NodeRedisModule };
    if ('Redis' in module && 'Cluster' in module) return { kind: 'ioredis', module: module as IoredisModule };
  }
  throw new EngineError(
    'redis: no client is installed. Install one: `npm install redis`, or `npm install ioredis`, version 5 or newer.',
    { resource: 'connect', engine: 'redis' },
    { retryable: false },
  );
}

function unlessMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
  throw error;
}
