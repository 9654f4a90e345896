import type { SqlValue } from '../sql-client.ts';

/** One statement: values are parameters, never text. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What a row is to become. */
export interface RowChange {
  readonly kind: string;
  readonly name: string;
  /** The version it was decided on; undefined if there was no row. */
  readonly expected: string | undefined;
  readonly version: string;
  readonly fence: number;
  readonly document: string;
  /** The guard by the database's clock, in milliseconds since the epoch: from this time on, and before that. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** The row may go after so many milliseconds if nobody changes it; null for never. */
  readonly ttlMs: number | null;
  /** Whom the change lets in: `*`, or owners with blanks between them; null for nobody. */
  readonly wake: string | null;
  /** The message that goes out with it, and on which channel; null for none. */
  readonly notice: RowNotice | null;
  /** The document that must be there besides the version; null for any. */
  readonly told: string | null;
  /** Whether a crash of the database may undo it: then it need not be on the disk when it is answered. */
  readonly mayBeLost: boolean;
}

/** A message that a database sends to all who listen on its channel, with the time of the change behind it. */
export interface RowNotice {
  readonly channel: string;
  readonly payload: string;
}

/** Which table, and in which namespace. */
export interface TableNames {
  /** Goes before the names of our tables. */
  readonly tablePrefix: string;
  /** The schema, or in MySQL the database; undefined for that of the connection. */
  readonly schema: string | undefined;
}

/** What the statements of an engine object are made with. */
export interface DialectOptions {
  /** Another clock of the database, as an expression. */
  readonly now?: string | undefined;
  /** The server itself ends what takes longer: a statement, a wait for a row, a transaction that stands still. */
  readonly limitMs?: number;
}

/** As long as an answer is waited for without a setting. */
export const USUAL_LIMIT_MS = 3000;

/**
 * The statements of one kind of database. Each answers with the database's time in milliseconds, as its first or second
 * column, because whoever decides something has to know what time it was there (soundness 5).
 */
export interface Dialect {
  readonly engine: 'sqlite' | 'postgres' | 'mysql';
  /** The schema as statements, each of which may be carried out again and by several at once. */
  readonly schema: readonly string[];
  /** One row: the version of the schema, when it was created, and its secret. No row, or no table, if it was not. */
  readonly schemaVersion: Statement;
  /** One row: the time. */
  readonly time: Statement;
  /**
   * One row: the time, and the version, the document and when it was changed, which are null if there is no row. Where a
   * connection may be one that commits nothing by itself, also whether it does: 1 or 0.
   */
  read(kind: string, name: string): Statement;
  /**
   * Puts in a row, or replaces one of the expected version, within the guard. One row: 1 or 0 for whether it was done, the
   * time, and what `read` finds then. No row if it was not done and what is there was not seen.
   */
  write(change: RowChange): Statement;
  /** What `write` brought where a statement that changes something can have no columns. */
  readonly written?: (
    change: RowChange,
    changed: number,
    insertId: number,
  ) => readonly SqlValue[] | undefined;
  /** Kind, name, count of wake-ups, the last of them and the version, for each row of these. `keys` is JSON: pairs of kind and name. */
  wakes(keys: string): Statement;
  /**
   * Removes some of the rows that nobody needs any more, at most so many; none while another process does it, where the
   * statement itself can find that out.
   */
  cleanUp(most: number): Statement;
  /** Where it cannot: what one process takes for it, on a connection of its own. `take` answers 1 if it has got it. */
  readonly cleanUpLock?: { readonly take: Statement; readonly release: Statement };
  /** Kind and name of at most so many rows behind this one in the order of kind and name. */
  list(after: { readonly kind: string; readonly name: string }, prefix: string, most: number): Statement;
  /**
   * How a transaction begins in which `lock` keeps everybody else out. With it go the limits at which the server ends the
   * transaction by itself: a process that is stopped between two statements would block this name until it goes on, and a
   * limit by our own clock stops together with the process.
   */
  readonly begin: string;
  /** Commits it, and sets back what `begin` has set for the connection. */
  readonly commit: string;
  /** As `read`; the row stays locked until the transaction ends. */
  lock(kind: string, name: string): Statement;
}

/** The version of the tables as this release makes and understands them. */
export const SCHEMA_VERSION = 1;
