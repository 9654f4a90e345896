import type { IoredisClient, IoredisStream } from './ioredis-shapes.ts';

/** The size of some commands of ours. The server begins with them while the next are made. */
const WRITTEN_TOGETHER = 2048;

/**
 * Called before a command is sent: has what is sent in this turn of the event loop written together, while other commands
 * wait for answers. ioredis writes each command to the socket by itself, and with many under way half of the processor's
 * time went into those writes.
 *
 * The tempting alternative holds back every command until the turn is over. One that is alone has no other to share the
 * write with, and would only be later. Another is the client's own option for it: it is the user's to set, and makes
 * pipelines, which are sent again as a whole.
 *
 * The price: a caller that sends something while others are under way, and then keeps the loop busy, keeps that back as well.
 */
export function gatherWrites({ stream, commandQueue }: IoredisClient): void {
  if (stream?.writableCorked !== 0 || commandQueue === undefined || commandQueue.length === 0) return;
  stream.cork();
  process.nextTick(uncork, stream);
}

/** Called after a command was sent: writes what has been gathered once it is worth a write. */
export function writeGathered({ stream }: IoredisClient): void {
  if (stream === undefined || stream.writableCorked === 0 || stream.writableLength < WRITTEN_TOGETHER) return;
  stream.uncork();
  stream.cork();
}

function uncork(stream: IoredisStream): void {
  stream.uncork();
}
