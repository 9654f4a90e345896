import { inTime, NoAnswerError } from '../../../../core/async/in-time.ts';
import type { RequestCopies } from '../../../../kernels/requests/request-copies.ts';
import { noFreeConnection } from '../../session-in-time.ts';
import type { SqlResult, SqlValue } from '../../sql-client.ts';
import type { NativeParts } from '../native-parts.ts';

/**
 * Sends one statement and waits for its answer until `until`. A pool without a free connection, a pool that its user
 * has ended and a silent server settle no promise: without this limit the caller, and the client that closes, would
 * wait without one.
 *
 * A statement that still waits for a connection is withdrawn. To leave it there would be simpler, but the pool would
 * send it after its caller got the error that nothing was sent. `sending` is shared by all copies: an earlier copy may
 * be out while this one waits for a connection, and then something was sent.
 */
export async function queryInTime(
  { client, sql, commandTimeoutMs }: NativeParts,
  text: string,
  values: readonly SqlValue[],
  until: number,
  sending: RequestCopies,
): Promise<SqlResult> {
  // Closes the connections of statements whose callers have stopped waiting.
  sql.abandonAfter?.(commandTimeoutMs);
  try {
    return await inTime(
      client.clock,
      sql.query(text, values, sending),
      Math.max(0, until - client.clock.now()),
    );
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    sending.giveUp();
    throw sending.wasSent ? new NoAnswerError(commandTimeoutMs) : noFreeConnection(commandTimeoutMs);
  }
}
