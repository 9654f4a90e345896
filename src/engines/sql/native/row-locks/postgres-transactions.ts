import { codeOf } from '../../clients/errors/sql-error.ts';
import {
  interruptPostgres,
  LOCK_TIMEOUT,
  POSTGRES_MICROSECONDS,
  queryRow,
  standbyRefusal,
  terminatePostgres,
} from '../connection-locks/advisory-lock-kind.ts';
import { advisoryKey } from '../connection-locks/advisory-key.ts';
import { LockRows } from './lock-rows.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from '../connection-locks/session-lock-kind.ts';
import { RowLockSteps, type RowLockTexts } from './row-lock-steps.ts';
import { transactionKind } from './transaction-kind.ts';

/** Fails if a statement of the transaction has failed. A bare commit would roll back then, and report success. */
export const POSTGRES_COMMIT = 'select 1; commit';

const BEGIN = 'begin isolation level read committed';

/** `SELECT … FOR UPDATE` on a row for each name. */
export function postgresRowLockKind(parts: SessionParts): SessionLockKind {
  const rows = new LockRows(parts, 'postgres');
  const texts: RowLockTexts = {
    select: `select fence, ${POSTGRES_MICROSECONDS} from ${rows.table} where name = $1 for update`,
    exists: `select 1 from ${rows.table} where name = $1`,
    setFence: (name, fence) => [`update ${rows.table} set fence = $2 where name = $1`, [name, fence]],
  };
  const steps = new RowLockSteps(parts, rows, texts, (connection) => begin(parts, connection));
  return transactionKind('rowLock', {
    begin: (connection) => begin(parts, connection),
    attempt: (connection) => steps.attempt(connection),
    wait: (connection, sliceMs) => waitInServer(parts, connection, sliceMs, () => steps.wait(connection)),
    interrupt: ({ serverId }) => interruptPostgres(parts, serverId!),
    terminate: (serverId) => terminatePostgres(parts, serverId),
    // The server records the holder of a row lock in the row itself, and shows it to no client.
    findHolder: async () => undefined,
  });
}

/** The advisory locks of PostgreSQL that belong to a transaction: they work through any pooler. */
export function postgresTransactionAdvisoryKind(parts: SessionParts): SessionLockKind {
  const now = `${POSTGRES_MICROSECONDS}, pg_is_in_recovery()`;
  const keyOf = ({ name }: LockConnection): string => String(advisoryKey(name));

  function stepOf(connection: LockConnection, [granted, fence, standby]: readonly unknown[]): LockStep {
    if (standby === true) throw standbyRefusal(connection);
    return granted === false ? { kind: 'busy' } : { kind: 'granted', fence: Number(fence) };
  }

  return transactionKind('advisoryLock', {
    begin: (connection) => begin(parts, connection),
    attempt: async (connection) => {
      const text = `select pg_try_advisory_xact_lock($1::bigint), ${now}`;
      return stepOf(connection, await queryRow(connection.session, text, [keyOf(connection)]));
    },
    wait: (connection, sliceMs) =>
      waitInServer(parts, connection, sliceMs, async () => {
        await connection.session.query('select pg_advisory_xact_lock($1::bigint)', [keyOf(connection)]);
        return stepOf(connection, await queryRow(connection.session, `select true, ${now}`, []));
      }),
    interrupt: ({ serverId }) => interruptPostgres(parts, serverId!),
    terminate: (serverId) => terminatePostgres(parts, serverId),
    findHolder: async () => undefined,
  });
}

async function begin({ sql }: SessionParts, connection: LockConnection): Promise<void> {
  // The statements that follow are the user's, and may take as long as they like.
  const unlimited = sql.limitsStatements === true ? 'set local statement_timeout = 0;' : '';
  // Valid behind a pooler too: a transaction stays on one server process.
  const [pid] = await queryRow(connection.session, `${BEGIN}; ${unlimited} select pg_backend_pid()`, []);
  connection.serverId = String(pid);
}

/** Waits in the server, and restores the time limits afterwards: the statements that follow are the user's. */
async function waitInServer(
  parts: SessionParts,
  connection: LockConnection,
  sliceMs: number,
  step: () => Promise<LockStep>,
): Promise<LockStep> {
  const { session } = connection;
  const read = `select current_setting('lock_timeout'), current_setting('statement_timeout')`;
  const before = await queryRow(session, read, []);
  const set = `select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`;
  await session.query(set, [String(Math.ceil(sliceMs)), '0']);
  try {
    const taken = await step();
    await session.query(set, before);
    return taken;
  } catch (error) {
    if (codeOf(error) !== LOCK_TIMEOUT) throw error;
    // The transaction cannot go on after the error. The user has not seen it yet, so a new one takes its place.
    await session.query('rollback', []);
    await begin(parts, connection);
    return { kind: 'busy' };
  }
}
