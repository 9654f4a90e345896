import type { ConnectingClient } from '../unspoken-refusal.ts';
import type { IoredisClient } from './ioredis-shapes.ts';

/** Neither ready nor told not to look for a server. */
const CONNECTING: ReadonlySet<string> = new Set(['connecting', 'connect', 'close', 'reconnecting']);

/** An ioredis client as one that connects. Behind Sentinels the address is theirs, and a socket file has none to look at. */
export function connectingIoredis(client: IoredisClient): ConnectingClient {
  const { host, port, sentinels, path, tls } = client.options;
  const isOneServer = !sentinels && !path && host !== undefined && port !== undefined;
  return {
    emitter: client,
    where: isOneServer ? { host, port } : undefined,
    tls: Boolean(tls),
    failing: 'close',
    isConnecting: () => CONNECTING.has(client.status),
  };
}
