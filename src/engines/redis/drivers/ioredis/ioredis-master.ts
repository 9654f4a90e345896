import { inTime } from '../../../../core/async/in-time.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import type { IoredisClient } from './ioredis-shapes.ts';
import { isIdleAnswer } from '../cluster/redirect.ts';

/** How long sentinels and the master that they name may take to answer, all together. */
const PATIENCE_MS = 3_000;
/** How long one sentinel may take before the next is asked. */
const SENTINEL_MS = 500;

/**
 * Finds the server that a client would connect to now, and returns its address if it answers: sentinels may name a new
 * master, or still a frozen one. Uses a copy of the client, which lives for this question only.
 */
export async function findIoredisMaster(
  like: IoredisClient,
  closing: AbortSignal,
): Promise<string | undefined> {
  let client: IoredisClient | undefined;
  const abandon = (): void => client?.disconnect();
  closing.addEventListener('abort', abandon);
  try {
    // Inside the try, because no caller awaits a suspicion: the error of a client whose options cannot be copied would end the
    // process.
    client = like.duplicate({
      lazyConnect: true,
      retryStrategy: null,
      sentinelRetryStrategy: null,
      sentinelCommandTimeout: SENTINEL_MS,
      failoverDetector: false,
    });
    client.on('error', () => undefined);
    await inTime(systemClock, connectAndPing(client), PATIENCE_MS, false);
    return ioredisAddress(client);
  } catch {
    return undefined;
  } finally {
    closing.removeEventListener('abort', abandon);
    client?.disconnect();
  }
}

async function connectAndPing(client: IoredisClient): Promise<void> {
  await client.connect();
  await client.ping().catch(unlessAnswered);
}

/** A refusal is an answer too. */
function unlessAnswered(error: unknown): void {
  if (!isIdleAnswer(error)) throw error;
}

/**
 * Makes a connected client reconnect. `disconnect(true)` alone ends the client's half of the connection and waits for the
 * other half, which a dead connection never ends.
 */
export function reconnectIoredis(client: IoredisClient): void {
  const { stream } = client;
  client.disconnect(true);
  stream?.destroy();
}

/** The address of a client's current or last connection; undefined before the first one. */
export function ioredisAddress({ stream }: IoredisClient): string | undefined {
  return stream?.remoteAddress === undefined ? undefined : `${stream.remoteAddress}:${stream.remotePort}`;
}
