import type { ErrorSubject } from '../../../../spi/errors.ts';
import type { SqlSession } from '../../sql-client.ts';

/** How one step towards the lock went. */
export type LockStep = { readonly kind: 'granted'; readonly fence: number } | { readonly kind: 'busy' };

/** Somebody on the way to a lock, or with it: a connection, and what was found on it. */
export interface LockConnection {
  readonly session: SqlSession;
  readonly name: string;
  readonly subject: ErrorSubject;
  /** For so long a connection is believed in without a sign of life; the server is told to believe for longer. */
  trustMs: number;
  /** How the server calls this connection, once it is known: whoever gives up ends it there. */
  serverId: string | undefined;
  /** The other end of the connection as the server sees it, where only that tells it from one of another server (MySQL). */
  seenAs?: string;
  /** What has to be set back before somebody else gets the connection. */
  before: readonly string[];
  /** The transaction that was the lock has ended already. */
  done: boolean;
}

/** One of the locks that a database has itself, which live as long as a connection or a transaction. */
export interface SessionLockKind {
  readonly kind: 'rowLock' | 'advisoryLock' | 'namedLock';
  /** Looks whether such a lock means something on this connection, and makes it ready. */
  prepare(connection: LockConnection): Promise<void>;
  /** One attempt that does not wait. */
  attempt(connection: LockConnection): Promise<LockStep>;
  /** Waits in the server, but not longer than this. */
  wait(connection: LockConnection, sliceMs: number): Promise<LockStep>;
  /** Tells the server that this connection is believed in for so long. */
  trust(connection: LockConnection, trustMs: number): Promise<void>;
  /** A sign of life. False if it is no longer held. */
  isHeld(connection: LockConnection): Promise<boolean>;
  /** Gives it up and sets back what was set. False if it was no longer held. */
  release(connection: LockConnection): Promise<boolean>;
  /** Sets back what was set, without having got it. */
  leave(connection: LockConnection): Promise<void>;
  /** How the server calls the connection that holds it; undefined if there is none, or nobody can tell. */
  findHolder(name: string): Promise<string | undefined>;
  /** Ends a connection in the server that waits for a lock, and no other that may be called the same by now. */
  interrupt(connection: LockConnection): Promise<void>;
  /** Ends a connection in the server that holds the lock of this name. */
  terminate(serverId: string, name: string): Promise<void>;
}
