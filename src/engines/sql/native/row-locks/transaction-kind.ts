import type { LockConnection, SessionLockKind, LockStep } from '../connection-locks/session-lock-kind.ts';

/** How one kind of server writes what all locks of a transaction need. */
export interface TransactionDialect {
  /** Begins a transaction that sees what was committed before each of its statements. */
  readonly begin: (connection: LockConnection) => Promise<void>;
  /** The first and every later attempt, in a transaction that nobody has used yet. */
  readonly attempt: (connection: LockConnection) => Promise<LockStep>;
  /** The same, waiting in the server. Leaves a transaction that nobody has used yet. */
  readonly wait: (connection: LockConnection, sliceMs: number) => Promise<LockStep>;
  readonly interrupt: SessionLockKind['interrupt'];
  readonly terminate: SessionLockKind['terminate'];
  readonly findHolder: (name: string) => Promise<string | undefined>;
}

/**
 * Locks that live as long as a transaction. Nothing is asked on its connection while it is held, because its statements
 * are the user's: that it lives is told by the connection alone. What the user does in the transaction needs no more,
 * because with the connection the transaction is undone.
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
