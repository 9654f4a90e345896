import { checkName, subjectOf } from '../../../core/arguments.ts';
import { createUnfencedLock } from '../../../synchronizers/lock/plain-lock.ts';
import type { Lock } from '../../../spi/synchronizers.ts';
import { type AdvisoryLockFactory, advisoryLocks } from './connection-locks/advisory-locks.ts';
import { mysqlRowLockKind } from './row-locks/mysql-transactions.ts';
import { namedLockKind } from './connection-locks/named-lock-kind.ts';
import { refusal } from './native-error.ts';
import type { NativeParts, SessionParts } from './native-parts.ts';
import { POSTGRES_COMMIT, postgresRowLockKind } from './row-locks/postgres-transactions.ts';
import { SessionLockProtocol } from './connection-locks/session-lock-protocol.ts';
import { type TableLockFactory, tableLocks } from './table-locks/table-locks.ts';
import { type TransactionLock, transactionLocks } from './row-locks/transaction-lock.ts';

/** The native locks of both PostgreSQL and MySQL. */
export interface NativeLocks {
  /**
   * A lock that a transaction holds by a row: `run` hands you the transaction, so that your writes in it and the lock
   * end together.
   */
  readonly rowLock: (name: string) => TransactionLock;
  /** A lock that is shared with Java programs that use Spring Integration's `JdbcLockRegistry`. */
  readonly tableLock: TableLockFactory;
}

/** The native locks of PostgreSQL. */
export interface PostgresLocks extends NativeLocks {
  /**
   * An advisory lock. It lives as long as a connection, or with `scope: 'transaction'` as long as a transaction that is
   * handed to you. It is free as soon as the connection breaks, whatever became of its holder.
   */
  readonly advisoryLock: AdvisoryLockFactory;
}

/** The native locks of MySQL and MariaDB. */
export interface MysqlLocks extends NativeLocks {
  /** A lock by `GET_LOCK`. It lives as long as a connection, and is free as soon as the connection breaks. */
  readonly namedLock: (name: string) => Lock;
}

export function postgresLocks(parts: NativeParts): PostgresLocks {
  const own = withSessions(parts);
  const rowLocks = transactionLocks(own, postgresRowLockKind(own), POSTGRES_COMMIT);
  return {
    rowLock: (name) => rowLocks(checked(parts, 'rowLock', name)),
    advisoryLock: advisoryLocks(own),
    tableLock: tableLocks(parts, 'postgres'),
  };
}

export function mysqlLocks(parts: NativeParts): MysqlLocks {
  const { client } = parts;
  const own = withSessions(parts);
  const rowLocks = transactionLocks(own, mysqlRowLockKind(own), 'commit');
  const { protocol } = new SessionLockProtocol(own, namedLockKind(own));
  const variety = { kind: 'namedLock', renewalLeaseMs: client.renewalLeaseMs } as const;
  return {
    rowLock: (name) => rowLocks(checked(parts, 'rowLock', name)),
    namedLock: (name) => createUnfencedLock(client, protocol, checked(parts, 'namedLock', name), variety),
    tableLock: tableLocks(parts, 'mysql'),
  };
}

function checked({ client }: NativeParts, kind: string, name: string): string {
  checkName(name, kind, client.label);
  return name;
}

/** Refuses locks of a connection over a query function, which has no connections to lend. */
function withSessions(parts: NativeParts): SessionParts {
  const { sql, client } = parts;
  const refuse = (): Promise<never> => {
    const why = 'needs a connection of its own, which a query function cannot give. Pass a pool.';
    return Promise.reject(refusal(subjectOf('lock', 'of a connection', client.label), why));
  };
  return { ...parts, openSession: sql.openSession ?? refuse };
}
