import { NoAnswerError } from '../../../core/async/in-time.ts';
import { EngineError, type ErrorSubject, isHoldfastError } from '../../../spi/errors.ts';
import type { SqlClient, SqlFailure } from '../sql-client.ts';
import { isError } from '../../../spi/is-error.ts';

const RETRYABLE: ReadonlySet<SqlFailure> = new Set(['again', 'unreachable', 'unknown', 'read-only', 'full']);

/** The error of a call to the database, in the database's words. */
export function nativeError(error: unknown, sql: SqlClient, subject: ErrorSubject, hint = ''): Error {
  if (isError(error) && isHoldfastError(error)) return error;
  const message = isError(error) ? error.message : String(error);
  return new EngineError(`${subject.resource}: ${message}${hint === '' ? '.' : `. ${hint}`}`, subject, {
    cause: error,
    retryable: error instanceof NoAnswerError || RETRYABLE.has(sql.failure(error)),
  });
}

/** Refuses a database, or something in front of it, on which such a lock would exclude no other client. */
export function refusal(subject: ErrorSubject, why: string): EngineError {
  return new EngineError(`${subject.resource}: ${why}`, subject, { retryable: false });
}

/**
 * The same for a server that is not the primary. Retryable: after a failover another connection may lead to the
 * primary.
 */
export function notPrimary(subject: ErrorSubject, why: string): EngineError {
  return new EngineError(`${subject.resource}: ${why}`, subject, { retryable: true });
}
