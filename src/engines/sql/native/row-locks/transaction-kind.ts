import type { LockConnection, SessionLockKind, LockStep } from '../connection-locks/session-lock-kind.ts';

/** How one kind of server writes the steps that all transaction locks share. */
export interface TransactionDialect {
  /** Begins a transaction in which each statement sees what was committed before it. */
  readonly begin: (connection: LockConnection) => Promise<void>;
  /** Attempts, the first time and later, in a transaction that the user has not seen. */
  readonly attempt: (connection: LockConnection) => Promise<LockStep>;
  /** The same, waiting in the server. Leaves a transaction that the user has not seen. */
  readonly wait: (connection: LockConnection, sliceMs: number) => Promise<LockStep>;
  readonly interrupt: SessionLockKind['interrupt'];
  readonly terminate: SessionLockKind['terminate'];
  readonly findHolder: (name: string) => Promise<string | undefined>;
}

/**
 * Locks that live as long as a transaction. Sends nothing on the connection while the lock is held, because its
 * statements are the user's: the state of the connection alone says whether the lock is held. The user's work in the
 * transaction needs no more, because the transaction is rolled back with its connection.
 */
export function transactionKind(kind: SessionLockKind['kind'], dialect: TransactionDialect): SessionLockKind {
  const rollback = async ({ session }: LockConnection): Promise<void> => {
    await session.query('rollback', []);
  };
  return {
    kind,
    prepare: dialect.begin,
    attempt: dialect.attempt,
    wait: dialect.wait,
    trust: async () => undefined,
    isHeld: async () => true,
    release: async (connection) => {
      if (!connection.done) await rollback(connection);
      return true;
    },
    leave: rollback,
    findHolder: dialect.findHolder,
    interrupt: dialect.interrupt,
    terminate: dialect.terminate,
  };
}
