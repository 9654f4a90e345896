import { JuteError, type JuteReader } from '../jute/jute-reader.ts';
import type { Operation } from '../protocol/operation.ts';
import { ZooKeeperError } from '../protocol/zookeeper-error.ts';

/** What a reply brought. A reply that cannot be read leaves the outcome unknown, as the end of the connection does. */
export function readReply<T>(operation: Operation<T>, reply: JuteReader): { value: T } | { error: Error } {
  try {
    return { value: operation.read(reply) };
  } catch (error) {
    if (!(error instanceof JuteError)) return { error: error as Error };
    const message = `${operation.what}: the reply cannot be read`;
    return { error: new ZooKeeperError('CONNECTION_LOSS', message, { cause: error }) };
  }
}
