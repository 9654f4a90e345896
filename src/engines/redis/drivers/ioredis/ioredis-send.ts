import type { Reply } from '../../driver.ts';
import type { IoredisClient, IoredisStream } from './ioredis-shapes.ts';
import { plainly } from '../reply.ts';

/** Some commands of ours. The server begins with them while the next are made. */
const WRITTEN_TOGETHER = 2048;

/**
 * Sends one command. ioredis writes each to the socket by itself, and with many under way half of the processor's time
 * went into those writes: while others wait for answers, what is sent in one turn of the loop is written together.
 *
 * The tempting alternative is to hold back every command until the turn is over. One that is alone has nobody to share
 * the write with, and would only be later. Another is the client's own option for it: it is the user's to set, and makes
 * pipelines, which are sent again as a whole.
 *
 * The price: who sends something while others are under way, and then keeps the loop busy, keeps that back as well.
 */
export function sendCommand(client: IoredisClient, command: readonly string[]): Promise<Reply> {
  const { stream, commandQueue } = client;
  if (stream?.writableCorked === 0 && commandQueue !== undefined && commandQueue.length > 0) {
    stream.cork();
    process.nextTick(uncork, stream);
  }
  const reply = plainly(command, client.call(...command));
  if (stream !== undefined && stream.writableCorked > 0 && stream.writableLength >= WRITTEN_TOGETHER) {
    stream.uncork();
    stream.cork();
  }
  return reply;
}

function uncork(stream: IoredisStream): void {
  stream.uncork();
}
