import type { SqlValue } from '../sql-client.ts';

/** One statement: values are parameters, never text. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** The change of one row. */
export interface RowChange {
  readonly kind: string;
  readonly name: string;
  /** The version that the change was decided on; undefined if there was no row. */
  readonly expected: string | undefined;
  readonly version: string;
  readonly fence: number;
  readonly document: string;
  /** The guard by the database's clock, in milliseconds since the epoch: from this time on, and before that. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The row may be deleted after so many milliseconds without a change; null for never. */
  readonly ttlMs: number | null;
  /** The owners that the change wakes: `*`, or owners separated by blanks; null for none. */
  readonly wake: string | null;
  /** The message that is sent with the change; null for none. */
  readonly notice: RowNotice | null;
  /** The document that must be there besides the version; null for any. */
  readonly told: string | null;
  /** Whether a crash of the database may undo the change: then the answer need not wait for the disk. */
  readonly mayBeLost: boolean;
}

/** A message that a database sends to all listeners of a channel, with the time of the change appended. */
export interface RowNotice {
  readonly channel: string;
  readonly payload: string;
}

/** The names of our tables. */
export interface TableNames {
  /** Goes before the names of our tables. */
  readonly tablePrefix: string;
  /** The schema, or in MySQL the database; undefined for that of the connection. */
  readonly schema: string | undefined;
}

/** What the statements of an engine object are built with. */
export interface DialectOptions {
  /** Another clock of the database, as an expression. */
  readonly now?: string | undefined;
  /** The time limit in the server: of a statement, of a wait for a row, of an idle transaction. */
  readonly limitMs?: number;
}

/** The usual time limit of a command. */
export const USUAL_LIMIT_MS = 3000;

/**
 * The statements of one kind of database. Each answers with the database's time in milliseconds, as its first or second
 * column, because a decision needs to know what time it was there (soundness 5).
 */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres' | 'mysql';
  /** The schema as statements. Each may run again, and in several processes at once. */
  readonly schema: readonly string[];
  /**
   * One row: the version of the schema, when it was created, and its secret. No row, or no table, if it was not
   * created.
   */
  readonly schemaVersion: Statement;
  /** One row: the time. */
  readonly time: Statement;
  /**
   * One row: the time, and the version, the document and the time of the last change, which are null if there is no
   * row. Where a connection may have autocommit off, also whether it commits: 1 or 0.
   */
  read(kind: string, name: string): Statement;
  /**
   * Inserts a row, or replaces one of the expected version, within the guard. One row: 1 or 0 for whether that was
   * done, the time, and what `read` finds then. No row if it was not done and the current row was not read.
   */
  write(change: RowChange): Statement;
  /** The answer of `write` where a statement that changes something cannot have columns. */
  readonly written?: (
    change: RowChange,
    changed: number,
    insertId: number,
  ) => readonly SqlValue[] | undefined;
  /**
   * Kind, name, number of wake-ups, the last of them and the version, for each row of these. `keys` is JSON: pairs of
   * kind and name.
   */
  wakes(keys: string): Statement;
  /**
   * Deletes expired rows, at most so many; none while another process does so, where the statement itself can find that
   * out.
   */
  cleanUp(most: number): Statement;
  /**
   * Where it cannot: the lock that one process takes for it, on a connection of its own. `take` answers 1 if it was
   * granted.
   */
  readonly cleanUpLock?: { readonly take: Statement; readonly release: Statement };
  /** Kind and name of at most so many rows after this one, in the order of kind and name. */
  list(after: { readonly kind: string; readonly name: string }, prefix: string, most: number): Statement;
  /**
   * Writes what a client says about itself, for so long: a row of the kind {@link CLIENT}, which expires and is cleaned up like
   * any other, and for which no other table and no other permission is needed.
   */
  announce(client: string, said: string, lastMs: number): Statement;
  retract(client: string): Statement;
  /** At least one row: the time, and a client with what it says; both null if none of these clients says anything. `clients` is JSON. */
  announced(clients: string): Statement;
  /**
   * Begins a transaction in which `lock` excludes all other clients. Sets the limits at which the server ends the
   * transaction by itself: a process that is stopped between two statements would block this name until it continues,
   * and a limit by our own clock stops together with the process.
   */
  readonly begin: string;
  /** Commits, and restores the settings that `begin` changed. */
  readonly commit: string;
  /** As `read`; the row stays locked until the transaction ends. */
  lock(kind: string, name: string): Statement;
}

/** The kind of the rows in which clients say who they are. No synchronizer has it, so no list shows them. */
export const CLIENT = 'client';

/** The version of the tables that this release creates and understands. */
export const SCHEMA_VERSION = 1;
