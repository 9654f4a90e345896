import { onAbort } from '../../../../core/async/aborts.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import { findIoredisMaster } from './ioredis-master.ts';
import type { IoredisClient } from './ioredis-shapes.ts';

/** Watches the connection for this share of the command time-out: the rest is for the request to be repeated and answered. */
const WATCHED_PART = 0.25;
/** Long enough for the event loop to read what has arrived. */
const ONE_TURN_MS = 1;

/**
 * Whether the connection of a client is dead: the server answers on a fresh connection, and meanwhile no byte has arrived on
 * this one.
 *
 * The tempting alternative is to ask the server alone. A reply that takes longer than the command time-out, for example a
 * large value of the user, delays the replies behind it while the server answers every other connection: each reconnect
 * would start that reply again, and it would never end.
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
  // The race: bytes arrived while the process was suspended, and timers run before the socket is read.
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
