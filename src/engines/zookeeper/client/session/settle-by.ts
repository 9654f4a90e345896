import { JuteError, type JuteReader } from '../jute/jute-reader.ts';
import type { Operation } from '../protocol/operation.ts';
import { ZooKeeperError } from '../protocol/zookeeper-error.ts';
import type { Settle } from './server-connection.ts';

interface Caller<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
  readonly onReply: ((error: Error | undefined) => void) | undefined;
}

/** Settles a caller with its reply, or with the reason why there is none. */
export function settleBy<T>(operation: Operation<T>, { resolve, reject, onReply }: Caller<T>): Settle {
  return (reply, error) => {
    const outcome = reply ? readReply(operation, reply) : { error: error! };
    onReply?.('error' in outcome ? outcome.error : undefined);
    if ('value' in outcome) return resolve(outcome.value);
    reject(outcome.error);
    // Ends the connection: data after a damaged reply cannot be trusted. Throws only with a reply: without one, the connection
    // has ended and is settling its callers, and the throw would leave the others without an answer.
    if (reply && outcome.error.cause instanceof JuteError) throw outcome.error.cause;
  };
}

/** Reads a reply. An unreadable reply leaves the outcome unknown, as the end of the connection does. */
function readReply<T>(operation: Operation<T>, reply: JuteReader): { value: T } | { error: Error } {
  try {
    return { value: operation.read(reply) };
  } catch (error) {
    if (!(error instanceof JuteError)) return { error: error as Error };
    const message = `${operation.what}: the reply cannot be read`;
    return { error: new ZooKeeperError('CONNECTION_LOSS', message, { cause: error }) };
  }
}
