import type { SqlValue } from '../../sql/sql-client.ts';

/** One connection to a file. Every call is finished when it returns: SQLite runs in this process. */
export interface SqliteConnection {
  /** Runs one statement. Throws at once if the file is busy: nothing sleeps in here. */
  run(text: string, values: readonly SqlValue[]): SqliteOutcome;
  /**
   * Runs statements that have no values and bring no rows. libsql closes a connection reliably only if no statement was
   * ever prepared on it: a connection that has to close at once uses only this.
   */
  execute(text: string): void;
  close(): void;
}

export interface SqliteOutcome {
  readonly rows: readonly (readonly SqlValue[])[];
  readonly changed: number;
}

/** Opens a file with one of the packages; creates it if it is missing. */
export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'better-sqlite3' | 'libsql';
  open(file: string): SqliteConnection;
}
