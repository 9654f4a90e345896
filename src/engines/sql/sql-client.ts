import type { Sending } from '../../spi/engine/documents.ts';

/** A value to or from a database. A number that may exceed 2^53 travels as text or bigint. */
export type SqlValue = string | number | bigint | boolean | Uint8Array | null;

/** What a statement brought. */
export interface SqlResult {
  /** The values of each row, in the order in which the statement names its columns. */
  readonly rows: readonly (readonly SqlValue[])[];
  /** How many rows the statement changed, where the client tells. */
  readonly changed: number;
  /**
   * The value that the statement passed to `LAST_INSERT_ID()`: the only way in which MySQL answers an UPDATE. Missing
   * elsewhere.
   */
  readonly insertId?: number | bigint;
}

/** Why a statement failed, in the few ways that matter to its sender. */
export type SqlFailure =
  /** The database has undone the statement and wants it again: a deadlock, a serialization failure, a busy file. */
  | 'again'
  /** The statement was certainly not carried out: there was no connection. */
  | 'unreachable'
  /** The connection was lost meanwhile: it is unknown whether the statement was carried out. */
  | 'unknown'
  /** There is no such table or schema. */
  | 'missing'
  /** The user may not do this, or the file is read-only. */
  | 'denied'
  /**
   * The server takes no writes: a standby, a replica, a primary that was demoted. Nothing was done. Another connection
   * may lead to the primary, so the client closes this one instead of giving it back to the pool.
   */
  | 'read-only'
  /** There is no space left. Nothing was done; it may be possible later. */
  | 'full'
  /** Anything else: the same statement would fail again. */
  | 'final';

/** Ends a {@link SqlClient.listen}. Safe to call twice. */
export type SqlUnlisten = () => void;

/** Statements over the user's client. */
export interface SqlClient {
  /**
   * How many statements the client carries at once, one on each connection of its pool. Any number where this is
   * missing.
   */
  readonly atOnce?: number | undefined;
  /**
   * Runs one statement by itself, on any connection. Values are parameters, never text. Notes in `sending` when the
   * statement leaves, and when a failure shows that it had no effect; a statement that is no longer wanted when a
   * connection is free is not sent, and fails as unreachable.
   */
  query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult>;
  /**
   * Closes the connections of statements that have been under way for longer than this. On a network that has gone
   * silent nothing else would for a quarter of an hour, and until then each would be one less in the pool.
   */
  abandonAfter?(ms: number): void;
  /** What an error of this client means. */
  failure(error: unknown): SqlFailure;
  /** What happened and what to do, where more is known than the error itself says. */
  explain?(error: unknown): string | undefined;
  /**
   * Whether its connections end every statement after a time limit: the statements of users, in transactions that we
   * open, must not have one.
   */
  readonly limitsStatements?: boolean;
  /** Borrows one connection for as long as it is needed. Undefined where the client runs only single statements. */
  readonly openSession: (() => Promise<SqlSession>) | undefined;
  /**
   * Calls with the payload of each notification on a channel (PostgreSQL), and without one after a gap in which some
   * may have been missed. All channels share one connection, which is opened again when it breaks. The promise rejects
   * if listening is not possible now. Undefined where the client offers no such thing.
   */
  readonly listen?:
    ((channel: string, heard: (payload?: string) => void) => Promise<SqlUnlisten>) | undefined;
  /** Closes what this adapter has opened itself, and nothing of the user's. */
  close(): Promise<void>;
}

/** One connection, for transactions, for locks that live as long as it does, and for notifications. */
export interface SqlSession {
  query(text: string, values: readonly SqlValue[]): Promise<SqlResult>;
  /** Calls once when the connection has broken. */
  onBroken(told: (reason: unknown) => void): () => void;
  /** Calls with each notification (PostgreSQL). Undefined where there are none. */
  readonly onNotice: ((told: (channel: string, payload: string) => void) => () => void) | undefined;
  /**
   * The server process that this connection was promised (PostgreSQL), where the client shows it. If another one
   * answers, there is a pooler in between.
   */
  readonly serverPid?: number | undefined;
  /** Gives the connection back, or closes it if its state is not certain. */
  end(how: 'reuse' | 'discard'): Promise<void>;
  /** The client's own object for this connection: callers of transaction locks receive it. */
  readonly native: unknown;
}
