import { onAbort } from '../../../../core/async/aborts.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import { findIoredisMaster } from './ioredis-master.ts';
import type { IoredisClient } from './ioredis-shapes.ts';

/** For this part of the time-out of a command the connection is watched: the request is sent again, and answered, in what is left. */
const WATCHED_PART = 0.25;
/** Long enough for the loop to read what has come. */
const ONE_TURN_MS = 1;

/**
 * Whether the connection of a client carries nothing any more: the server answers on a fresh connection, and meanwhile not a
 * byte has come on this one.
 *
 * The tempting alternative is to ask the server alone. A reply that takes longer than the time-out of a command, of a large
 * value of the user's for example, keeps ours behind it, and the server answers every other connection: the reply would
 * begin anew with each reconnect and never end.
 */
export async function isSilentIoredis(
  client: IoredisClient,
  unansweredMs: number,
  closing: AbortSignal,
): Promise<boolean> {
  const { stream } = client;
  const before = stream?.bytesRead;
  const [master] = await Promise.all([
    findIoredisMaster(client, closing),
    pause(unansweredMs * WATCHED_PART, closing),
  ]);
  // Bytes may have come while the process stood still, and timers are called before they are read.
  await pause(ONE_TURN_MS, closing);
  return master !== undefined && client.stream === stream && stream?.bytesRead === before;
}

function pause(ms: number, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stopListening = onAbort(closing, () => {
      timer.cancel();
      resolve();
    });
    const timer = systemClock.timer(ms, () => {
      stopListening();
      resolve();
    });
  });
}
