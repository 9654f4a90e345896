import { NoAnswerError } from '../../../../core/async/in-time.ts';
import { afterUnanswered } from '../../../../kernels/requests/after-unanswered.ts';
import { RequestCopies } from '../../../../kernels/requests/request-copies.ts';
import { EngineError, type ErrorSubject } from '../../../../spi/errors.ts';
import type { SqlResult, SqlValue } from '../../sql-client.ts';
import { nativeError } from '../native-error.ts';
import type { NativeParts } from '../native-parts.ts';
import { queryInTime } from './query-in-time.ts';
import type { RowAttempt } from './row-attempts.ts';

/** How often a statement is sent again that the database has undone, or whose outcome is unknown. */
const TRIES = 4;

/**
 * Sends a statement until it is answered. Each may be sent twice: it contains the id of the holder, which is never used
 * again. `missing` is the hint for a missing table. `again`: an earlier copy may have been carried out.
 *
 * The tempting alternative is `Requests`, which repeats after silence too: its stores remember the id of a request, and their clock
 * ends late copies. Spring's table has no column for either, so a copy that was only slow would meet its own repetition, and
 * take for a stranger's what the first one did. Silence therefore ends the call, within the time of one command.
 */
export async function repeatStatement(
  parts: NativeParts,
  subject: ErrorSubject,
  missing: string,
  text: string,
  values: readonly SqlValue[],
  attempt?: RowAttempt,
): Promise<SqlResult & { readonly again: boolean }> {
  const { client, sql, commandTimeoutMs } = parts;
  let unknown = false;
  const sending = new RequestCopies(true);
  // One limit for all tries: a caller waits no longer than one command may take.
  const until = client.clock.now() + commandTimeoutMs;
  for (let tries = 1; ; tries += 1) {
    try {
      return { ...(await queryInTime(parts, text, values, until, sending)), again: unknown };
    } catch (error) {
      const silent = error instanceof NoAnswerError;
      const failure = silent ? 'unknown' : sql.failure(error);
      const isRefusal = failure !== 'unknown';
      const mayHaveArrived = unknown;
      unknown ||= failure === 'unknown';
      if (unknown && attempt !== undefined) attempt.isCertain = false;
      if (!silent && (failure === 'again' || failure === 'unknown') && tries < TRIES) continue;
      const told = nativeError(error, sql, subject, failure === 'missing' ? missing : '');
      throw isRefusal && mayHaveArrived && told instanceof EngineError ? afterUnanswered(told) : told;
    }
  }
}
