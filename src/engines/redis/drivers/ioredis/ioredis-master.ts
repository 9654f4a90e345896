import { inTime } from '../../../../core/async/in-time.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import type { IoredisClient } from './ioredis-shapes.ts';
import { isIdleAnswer } from '../cluster/redirect.ts';

/** So long sentinels and the master that they name may take to answer, all together. */
const PATIENCE_MS = 3_000;
/** One sentinel; then the next one is asked. */
const SENTINEL_MS = 500;

/**
 * The address of the server that a client would be connected to now, if it answers: sentinels may name another one, or
 * still one that stands still. Found as the client itself would find it, on a connection that lives for this question
 * only.
 */
export async function findIoredisMaster(
  like: IoredisClient,
  closing: AbortSignal,
): Promise<string | undefined> {
  let client: IoredisClient | undefined;
  const abandon = (): void => client?.disconnect();
  closing.addEventListener('abort', abandon);
  try {
    // Inside, because nothing awaits the suspicion of a server: what a client says of options that it cannot copy would end
    // the process.
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

/** To be refused is an answer, too. */
function unlessAnswered(error: unknown): void {
  if (!isIdleAnswer(error)) throw error;
}

/**
 * Has a client that is connected make its connection anew. `disconnect(true)` alone ends its half of the connection and
 * waits for the other end to do the same, which says nothing any more.
 */
export function reconnectIoredis(client: IoredisClient): void {
  const { stream } = client;
  client.disconnect(true);
  stream?.destroy();
}

/** Where a client is connected to, or was before it lost the connection; undefined before the first one. */
export function ioredisAddress({ stream }: IoredisClient): string | undefined {
  return stream?.remoteAddress === undefined ? undefined : `${stream.remoteAddress}:${stream.remotePort}`;
}
