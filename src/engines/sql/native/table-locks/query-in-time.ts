import { inTime, NoAnswerError } from '../../../../core/async/in-time.ts';
import type { RequestCopies } from '../../../../kernels/requests/request-copies.ts';
import { noFreeConnection } from '../../session-in-time.ts';
import type { SqlResult, SqlValue } from '../../sql-client.ts';
import type { NativeParts } from '../native-parts.ts';

/**
 * The answer to one statement, if it comes until `until`. A pool without a free connection, a pool that its user has ended and
 * a silent server settle no promise: without a limit the caller waits without one, and so does the client that closes.
 *
 * A statement that still waits for a connection is withdrawn. To leave it there would be simpler, but the pool would send it
 * when its caller has long been told that nothing was sent. `sending` is of all copies: an earlier one may be out while this
 * one waits for a connection, and then something was sent.
 */
export async function queryInTime(
  { client, sql, commandTimeoutMs }: NativeParts,
  text: string,
  values: readonly SqlValue[],
  until: number,
  sending: RequestCopies,
): Promise<SqlResult> {
  // Closes the connections of statements that no caller waits for any more.
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
