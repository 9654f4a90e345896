import type { Client } from '../../../core/client.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { SqlClient, SqlSession } from '../sql-client.ts';

/** What the database's own locks of one engine object share. */
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
  /** How long a connection of the pool, and the answer to what does not wait in the server, are waited for. */
  readonly commandTimeoutMs: number;
  /** How long a statement waits in the server, at most, before it is sent again. */
  readonly waitSliceMs: number;
  /** How long after it was sent an acquisition in a table may still happen. */
  readonly lateAfterMs: number;
}

/** The same where connections of one's own can be had. */
export interface SessionParts extends NativeParts {
  readonly openSession: () => Promise<SqlSession>;
}

/** A client that vanishes while it waits stays in the server's line for so long, and holds the lock if its turn comes. */
export const USUAL_WAIT_SLICE_MS = 10_000;

/** Twice as long as an answer is usually waited for. */
export const USUAL_LATE_AFTER_MS = 6_000;
