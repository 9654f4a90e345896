import type { Client } from '../../../core/client.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { SqlClient, SqlSession } from '../sql-client.ts';

/** What the native locks of one engine object share. */
export interface NativeParts {
  readonly client: Client;
  readonly sql: SqlClient;
  /** Opens what the engine object needs before anything can be held, where it needs something. */
  readonly open: () => MaybeAsync<void>;
  /** The schema, or in MySQL the database, of our tables; undefined for that of the connection. */
  readonly schema: string | undefined;
  /** Goes before the names of our tables. */
  readonly tablePrefix: string;
  /** Whether a missing table is created. */
  readonly createTables: boolean;
  /**
   * How long to wait for a connection of the pool, and for the answer to a statement that does not wait in the server.
   */
  readonly commandTimeoutMs: number;
  /** How long a statement waits in the server, at most, before it is sent again. */
  readonly waitSliceMs: number;
  /** How long after it was sent an acquisition in a table may still take effect. */
  readonly lateAfterMs: number;
}

/** The same over a client that lends connections. */
export interface SessionParts extends NativeParts {
  readonly openSession: () => Promise<SqlSession>;
}

/**
 * How long a client that vanished while it waited stays in the server's queue. It holds the lock for the rest of that
 * time if its turn comes.
 */
export const USUAL_WAIT_SLICE_MS = 10_000;

/** Twice the usual time limit of a command. */
export const USUAL_LATE_AFTER_MS = 6_000;
