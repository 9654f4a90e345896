import type { SqlFailure } from '../../sql-client.ts';

/**
 * The error of one of our statements, with the database's own message and nothing more. The client's error is not kept
 * as a cause: some clients put the statement with all its values into it, some the address with its password.
 */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly failure: SqlFailure;
  /** The SQLSTATE of PostgreSQL, the error number of MySQL and MariaDB, or a word of the client or the system. */
  readonly code: string | undefined;

  constructor(message: string, failure: SqlFailure, code: string | undefined) {
    super(message);
    this.failure = failure;
    this.code = code;
  }
}

/** What an error made by one of our clients means; any other error would only occur again. */
export function failureOf(error: unknown): SqlFailure {
  return error instanceof SqlError ? error.failure : 'final';
}

/** The code of an error made by one of our clients. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof SqlError ? error.code : undefined;
}
