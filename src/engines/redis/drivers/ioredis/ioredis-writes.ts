import type { IoredisClient, IoredisStream } from './ioredis-shapes.ts';

/** The bytes of a few commands. The server starts on them while the client builds the next. */
const WRITTEN_TOGETHER = 2048;

/**
 * Called before a command is sent. While other commands are in flight, gathers the commands of this turn of the event loop
 * into one write. ioredis writes each command to the socket alone, and with many in flight half of the processor time went
 * into those writes.
 *
 * The tempting alternative delays every command to the end of the turn. A command that is alone has no other to share the
 * write with, and would only be later. Another is the client's own option: it belongs to the user, and makes pipelines, which
 * the client repeats as a whole.
 *
 * The price: a caller that sends a command while others are in flight, and then blocks the event loop, delays that command too.
 */
export function gatherWrites({ stream, commandQueue }: IoredisClient): void {
  if (stream?.writableCorked !== 0 || commandQueue === undefined || commandQueue.length === 0) return;
  stream.cork();
  process.nextTick(uncork, stream);
}

/** Called after a command was sent. Writes the gathered commands once they are worth a write. */
export function writeGathered({ stream }: IoredisClient): void {
  if (stream === undefined || stream.writableCorked === 0 || stream.writableLength < WRITTEN_TOGETHER) return;
  stream.uncork();
  stream.cork();
}

function uncork(stream: IoredisStream): void {
  stream.uncork();
}
