import { inTime, NoAnswerError } from '../../../../core/async/in-time.ts';
import { checkOptions, shown, subjectOf } from '../../../../core/arguments.ts';
import { createUnfencedLock } from '../../../../synchronizers/lock/plain-lock.ts';
import { argumentTypeError, type ErrorSubject } from '../../../../spi/errors.ts';
import type { Lock, WaitOptions } from '../../../../spi/synchronizers.ts';
import type { SqlResult, SqlValue } from '../../sql-client.ts';
import { nativeError } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind } from '../connection-locks/session-lock-kind.ts';
import { SessionLockProtocol } from '../connection-locks/session-lock-protocol.ts';

/** A transaction that holds a lock. */
export interface TransactionHold {
  /** Larger than that of every earlier holder, as long as the database's clock does not go back. */
  readonly fence: bigint;
  /** Aborts when the connection breaks: the database has rolled the transaction back, and the lock is free. */
  readonly lost: AbortSignal;
  /** Throws a `LeaseLostError` if the connection has broken. */
  throwIfLost(): void;
  /** Runs a statement in this transaction: with `$1` in PostgreSQL, `?` in MySQL. */
  query(text: string, values?: readonly SqlValue[]): Promise<SqlResult>;
  /**
   * Your client's own object for this connection: a `PoolClient` of pg, the `sql` of a transaction of postgres.js, a
   * connection of mysql2 or mariadb. Do not end the transaction with it.
   */
  readonly client: unknown;
}

/** A lock that is held by a transaction, and ends with it. */
export interface TransactionLock {
  /** The name of the lock. */
  readonly name: string;
  /** Which lock of the database it is. */
  readonly kind: Lock['kind'];
  /**
   * Waits for the lock, calls `fn` with the transaction that holds it, and commits. If `fn` throws, the transaction is
   * rolled back and the error passed on. A `run` of the same lock inside `fn` uses the same transaction.
   */
  run<T>(fn: (hold: TransactionHold) => T | PromiseLike<T>, options?: WaitOptions): Promise<T>;
}

export type TransactionLocks = (name: string) => TransactionLock;

/** All locks of one kind, each held by a transaction of its own. */
export function transactionLocks(
  parts: SessionParts,
  kind: SessionLockKind,
  commit: string,
): TransactionLocks {
  const protocol = new SessionLockProtocol(parts, kind);
  const { client } = parts;
  return (name) => {
    const subject = subjectOf(kind.kind, name, client.label);
    const { renewalLeaseMs } = client;
    const variety = { kind: kind.kind, renewalLeaseMs, family: `${kind.kind}/transaction` };
    const lock = createUnfencedLock(client, protocol.protocol, name, variety);
    return {
      name,
      kind: kind.kind,
      run: async (fn, options) => {
        checkOptions(options, ['timeoutMs', 'signal'], subject);
        if (typeof fn !== 'function') {
          throw argumentTypeError(`${subject.resource}: run needs a function, not ${shown(fn)}.`, subject);
        }
        return lock.run(async (hold) => {
          const outermost = lock.holdCount() === 1;
          const connection = protocol.connectionOf(hold.fence);
          // A hold whose connection has broken meanwhile is forgotten here.
          if (connection === undefined) hold.throwIfLost();
          const transaction = transactionHold(parts, subject, connection!, hold);
          const result = await fn(transaction);
          if (outermost) await commitTransaction(parts, subject, connection!, commit, hold);
          return result;
        }, options);
      },
    };
  };
}

type FencedTransaction = Pick<TransactionHold, 'fence' | 'lost' | 'throwIfLost'>;

function transactionHold(
  { sql }: SessionParts,
  subject: ErrorSubject,
  { session }: LockConnection,
  hold: FencedTransaction,
): TransactionHold {
  const { fence } = hold;
  return {
    fence,
    // Not read ahead: a look at the signal compares the clock (soundness 6).
    get lost() {
      return hold.lost;
    },
    throwIfLost: () => hold.throwIfLost(),
    client: session.native,
    query: async (text, values = []) => {
      hold.throwIfLost();
      try {
        return await session.query(text, values);
      } catch (error) {
        throw nativeError(error, sql, subject);
      }
    },
  };
}

/**
 * An error here replaces the result of `fn`: the caller must not take for committed what was rolled back.
 *
 * The commit may take as long as the owner trusts a silent connection, and no longer: a network that has gone silent answers
 * nothing, and the keeper, which sends nothing on this connection, does not notice. `commandTimeoutMs` is too short for it:
 * a server checks deferred constraints and waits for its replicas in the commit.
 */
async function commitTransaction(
  { client, sql }: SessionParts,
  subject: ErrorSubject,
  connection: LockConnection,
  commit: string,
  hold: FencedTransaction,
): Promise<void> {
  hold.throwIfLost();
  try {
    await inTime(client.clock, connection.session.query(commit, []), connection.trustMs);
    connection.done = true;
  } catch (error) {
    const unknown = error instanceof NoAnswerError || sql.failure(error) === 'unknown';
    const hint = unknown
      ? 'It is unknown whether the transaction was committed'
      : 'The transaction was undone';
    throw nativeError(error, sql, subject, `${hint}.`);
  }
}
