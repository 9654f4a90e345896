import { dropSocketOf } from './node-redis-internals.ts';
import type { NodeRedisClient } from './node-redis-shapes.ts';

/**
 * Connects a client of our own, which may be destroyed meanwhile. An older one does not notice that in the middle of an
 * attempt: it finishes, calls itself closed, and would keep the connection for ever.
 */
export async function connectNodeRedis(client: NodeRedisClient): Promise<void> {
  await client.connect();
  if (client.isOpen) return;
  dropSocketOf(client);
  throw new Error('The connection was closed.');
}

export function destroyNodeRedis(client: NodeRedisClient): void {
  if (client.isOpen) client.destroy();
}

/** Where a client connects to, as it was told. */
export function nodeRedisAddress(client: NodeRedisClient): string {
  const { host = 'localhost', port = 6379, path } = client.options?.socket ?? {};
  return path ?? `${host}:${port}`;
}
