import type { ConnectingClient } from '../unspoken-refusal.ts';
import type { NodeRedisClient } from './node-redis-shapes.ts';

/** A node-redis client as one that connects. A socket file has no address to look at. */
export function connectingNodeRedis(client: NodeRedisClient): ConnectingClient {
  const { host = 'localhost', port = 6379, path, tls } = client.options?.socket ?? {};
  return {
    emitter: client,
    where: path === undefined ? { host, port } : undefined,
    tls: tls === true,
    failing: 'error',
    isConnecting: () => client.isOpen && !client.isReady,
  };
}
