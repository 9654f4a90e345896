import type { CommandOutcome } from '../../driver.ts';
import type { IoredisPipeline } from './ioredis-shapes.ts';
import { plainReply } from '../reply.ts';

/**
 * Sends commands back to back on one connection, as a pipeline. If the connection breaks between two replies the client
 * rejects the rest; it repeats a pipeline only as a whole. So a WAIT is never sent on another connection than the write
 * before it, where it would count the replicas of other writes.
 */
export async function sendPipeline(
  pipeline: IoredisPipeline,
  commands: readonly (readonly string[])[],
): Promise<readonly CommandOutcome[]> {
  for (const command of commands) pipeline.call(...command);
  const results = (await pipeline.exec()) ?? [];
  return commands.map((_command, i) => {
    const [error, reply] = results[i] ?? [new Error('The client gave no reply.')];
    return error ? { error } : { reply: plainReply(reply) };
  });
}
