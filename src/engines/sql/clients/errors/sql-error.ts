import type { SqlFailure } from '../../sql-client.ts';

/**
 * What a statement of ours failed with, in the database's own words and nothing more. The error of a client is not kept:
 * some put the statement with all its values into it, some the address with its password.
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

/** What an error means that has been made by one of our clients; anything else would only fail again. */
export function failureOf(error: unknown): SqlFailure {
  return error instanceof SqlError ? error.failure : 'final';
}

/** The code of an error that has been made by one of our clients. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof SqlError ? error.code : undefined;
}
