import type { ErrorSubject } from '../../../../spi/errors.ts';
import type { SqlSession } from '../../sql-client.ts';

/** What came of one step towards the lock. */
export type LockStep = { readonly kind: 'granted'; readonly fence: number } | { readonly kind: 'busy' };

/** The connection of an owner that waits for a lock or holds it, with what was found out about the connection. */
export interface LockConnection {
  readonly session: SqlSession;
  readonly name: string;
  readonly subject: ErrorSubject;
  /** How long the owner trusts the connection without a sign of life; the server is set to trust it for longer. */
  trustMs: number;
  /** The server's number of this connection, once it is known: an owner that gives up ends the connection by it. */
  serverId: string | undefined;
  /**
   * The client's address and port as the server sees them: in MySQL only they tell this connection from one of another
   * server.
   */
  seenAs?: string;
  /** The settings to restore before the pool lends the connection again. */
  before: readonly string[];
  /** Whether the transaction that holds the lock has ended already. */
  done: boolean;
}

/** One of the database's own locks, which live as long as a connection or a transaction. */
export interface SessionLockKind {
  readonly kind: 'rowLock' | 'advisoryLock' | 'namedLock';
  /** Checks that such a lock excludes others on this connection, and prepares the connection. */
  prepare(connection: LockConnection): Promise<void>;
  /** Attempts once, without waiting. */
  attempt(connection: LockConnection): Promise<LockStep>;
  /** Waits in the server, for at most `sliceMs`. */
  wait(connection: LockConnection, sliceMs: number): Promise<LockStep>;
  /** Sets for how long the server trusts this connection without a sign of life. */
  trust(connection: LockConnection, trustMs: number): Promise<void>;
  /** Gives and asks for a sign of life. False if the lock is no longer held. */
  isHeld(connection: LockConnection): Promise<boolean>;
  /** Releases the lock and restores the settings. False if the lock was no longer held. */
  release(connection: LockConnection): Promise<boolean>;
  /** Restores the settings of a connection that did not get the lock. */
  leave(connection: LockConnection): Promise<void>;
  /**
   * The server's number of the connection that holds the lock; undefined if the lock is free, or if the server does not
   * show its holder.
   */
  findHolder(name: string): Promise<string | undefined>;
  /** Ends the waiting connection in the server, and no other that may have the same number by now. */
  interrupt(connection: LockConnection): Promise<void>;
  /** Ends the connection in the server that holds the lock of this name. */
  terminate(serverId: string, name: string): Promise<void>;
}
