import { inTime, systemClock } from '../../../kernels/surroundings.ts';
import type { IoredisClient } from './ioredis-shapes.ts';

/** So long sentinels and the master that they name may take to answer, all together. */
const PATIENCE_MS = 3_000;
/** One sentinel; then the next one is asked. */
const SENTINEL_MS = 500;

/**
 * The address of the master that the sentinels of a client name now, if it answers: they may still name one that stands
 * still. Found as the client itself would find it, on a connection that lives for this question only.
 */
export async function ioredisMaster(like: IoredisClient, closing: AbortSignal): Promise<string | undefined> {
  const client = like.duplicate({
    lazyConnect: true,
    retryStrategy: null,
    sentinelRetryStrategy: null,
    sentinelCommandTimeout: SENTINEL_MS,
    failoverDetector: false,
  });
  client.on('error', () => undefined);
  const abandon = (): void => client.disconnect();
  closing.addEventListener('abort', abandon);
  try {
    await inTime(systemClock, client.connect(), PATIENCE_MS, false);
    return ioredisAddress(client);
  } catch {
    return undefined;
  } finally {
    closing.removeEventListener('abort', abandon);
    client.disconnect();
  }
}

/** Where a client is connected to, or was before it lost the connection; undefined before the first one. */
export function ioredisAddress({ stream }: IoredisClient): string | undefined {
  return stream?.remoteAddress === undefined ? undefined : `${stream.remoteAddress}:${stream.remotePort}`;
}
