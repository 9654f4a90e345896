import { dropSocketOf } from './node-redis-internals.ts';
import type { NodeRedisClient } from './node-redis-shapes.ts';

/**
 * Connects a client of our own. The race: it may be destroyed meanwhile. An older client does not notice that in the middle of
 * an attempt: it finishes, reports itself as closed, and would keep the connection without limit.
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

/** The configured address of a client. */
export function nodeRedisAddress(client: NodeRedisClient): string {
  const { host = 'localhost', port = 6379, path } = client.options?.socket ?? {};
  return path ?? `${host}:${port}`;
}
