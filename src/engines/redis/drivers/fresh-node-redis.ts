import { inTime } from '../../../core/async/in-time.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { connectNodeRedis, destroyNodeRedis } from './node-redis/connect-node-redis.ts';
import type { NodeRedisClient } from './node-redis/node-redis-shapes.ts';
import { reconnectDelayMs } from './opened-connections.ts';
import { isIdleAnswer } from './cluster/redirect.ts';

/** So long a server may take to greet a connection. One that stands still takes connections, and answers none. */
const PATIENCE_MS = 3_000;

/** A connection of our own to where a client is connected, if the server answers on it. It never gives up. */
export async function openFreshNodeRedis(like: NodeRedisClient): Promise<NodeRedisClient | undefined> {
  let client: NodeRedisClient | undefined;
  try {
    // Inside, because nothing awaits the suspicion of a server: what a client says of options that it cannot copy would end
    // the process.
    client = like.duplicate({ socket: { ...like.options?.socket, reconnectStrategy: reconnectDelayMs } });
    client.on('error', () => undefined);
    await inTime(systemClock, connectAndPing(client), PATIENCE_MS, false);
    return client;
  } catch {
    // The server answers no client: another connection would be no better than the one there is.
    if (client !== undefined) destroyNodeRedis(client);
    return undefined;
  }
}

async function connectAndPing(client: NodeRedisClient): Promise<void> {
  await connectNodeRedis(client);
  await client.sendCommand(['PING'], {}).catch((error: unknown) => {
    // To be refused is an answer, too.
    if (!isIdleAnswer(error)) throw error;
  });
}
