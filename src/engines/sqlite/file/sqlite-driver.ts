import type { SqlValue } from '../../sql/sql-client.ts';

/** One connection to a file. Every call ends before it returns: SQLite runs in this very process. */
export interface SqliteConnection {
  /** Carries out one statement. Throws at once if the file is busy: nobody sleeps in here. */
  run(text: string, values: readonly SqlValue[]): SqliteOutcome;
  /**
   * Carries out statements that have no values and bring no rows. libsql closes a connection for certain only if nothing
   * was ever prepared on it: what has to be closed at once uses nothing else.
   */
  execute(text: string): void;
  close(): void;
}

export interface SqliteOutcome {
  readonly rows: readonly (readonly SqlValue[])[];
  readonly changed: number;
}

/** Opens a file with one of the packages that can; creates it if it is not there. */
export interface SqliteDriver {
  readonly name: 'node:sqlite' | 'better-sqlite3' | 'libsql';
  open(file: string): SqliteConnection;
}
