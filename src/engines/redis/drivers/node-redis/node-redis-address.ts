import type { NodeRedisClient } from './node-redis-shapes.ts';

/** Where a client connects to, as it was told. */
export function nodeRedisAddress(client: NodeRedisClient): string {
  const { host = 'localhost', port = 6379, path } = client.options?.socket ?? {};
  return path ?? `${host}:${port}`;
}
