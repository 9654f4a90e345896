import { checkName, checkOptions, shown, subjectOf } from '../../../../core/arguments.ts';
import { createUnfencedLock } from '../../../../synchronizers/lock/plain-lock.ts';
import { argumentTypeError } from '../../../../spi/errors.ts';
import type { Lock } from '../../../../spi/synchronizers.ts';
import { advisoryLockKind } from './advisory-lock-kind.ts';
import type { SessionParts } from '../native-parts.ts';
import { POSTGRES_COMMIT, postgresTransactionAdvisoryKind } from '../row-locks/postgres-transactions.ts';
import { SessionLockProtocol } from './session-lock-protocol.ts';
import { type TransactionLock, transactionLocks } from '../row-locks/transaction-lock.ts';

/** An advisory lock of PostgreSQL: of a connection, or of a transaction. */
export interface AdvisoryLockFactory {
  (name: string, options?: { readonly scope?: 'session' }): Lock;
  (name: string, options: { readonly scope: 'transaction' }): TransactionLock;
}

const kind = 'advisoryLock';

export function advisoryLocks(parts: SessionParts): AdvisoryLockFactory {
  const { client } = parts;
  const { protocol } = new SessionLockProtocol(parts, advisoryLockKind(parts));
  const ofTransactions = transactionLocks(parts, postgresTransactionAdvisoryKind(parts), POSTGRES_COMMIT);

  function advisoryLock(name: string, options: { readonly scope?: unknown } = {}): Lock | TransactionLock {
    checkName(name, kind, client.label);
    const subject = subjectOf(kind, name, client.label);
    checkOptions(options, ['scope'], subject);
    const { scope = 'session' } = options;
    if (scope === 'transaction') return ofTransactions(name);
    if (scope === 'session') {
      return createUnfencedLock(client, protocol, name, { kind, renewalLeaseMs: client.renewalLeaseMs });
    }
    throw argumentTypeError(
      `${subject.resource}: scope must be 'session' or 'transaction', not ${shown(scope)}.`,
      subject,
    );
  }
  return advisoryLock as AdvisoryLockFactory;
}
