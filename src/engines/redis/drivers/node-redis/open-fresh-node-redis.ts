import { inTime } from '../../../../core/async/in-time.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import { connectNodeRedis, destroyNodeRedis } from './connect-node-redis.ts';
import type { NodeRedisClient } from './node-redis-shapes.ts';
import { reconnectDelayMs } from '../opened-connections.ts';
import { isIdleAnswer } from '../cluster/redirect.ts';

/** How long a server may take to answer a new connection. A frozen server accepts connections, and answers none. */
const PATIENCE_MS = 3_000;

/** Opens a connection of our own to the server of a client, if the server answers on it. The connection retries without limit. */
export async function openFreshNodeRedis(like: NodeRedisClient): Promise<NodeRedisClient | undefined> {
  let client: NodeRedisClient | undefined;
  try {
    // Inside the try, because no caller awaits a suspicion: the error of a client whose options cannot be copied would end the
    // process.
    client = like.duplicate({ socket: { ...like.options?.socket, reconnectStrategy: reconnectDelayMs } });
    client.on('error', () => undefined);
    await inTime(systemClock, connectAndPing(client), PATIENCE_MS, false);
    return client;
  } catch {
    // The server answers no client: a new connection would be no better than the old one.
    if (client !== undefined) destroyNodeRedis(client);
    return undefined;
  }
}

async function connectAndPing(client: NodeRedisClient): Promise<void> {
  await connectNodeRedis(client);
  await client.sendCommand(['PING'], {}).catch((error: unknown) => {
    // A refusal is an answer too.
    if (!isIdleAnswer(error)) throw error;
  });
}
