import { codeOf } from '../../clients/errors/sql-error.ts';
import { queryRow } from '../connection-locks/advisory-lock-kind.ts';
import { LockRows } from './lock-rows.ts';
import { interruptMysql } from '../connection-locks/kill-mysql.ts';
import { MYSQL_MICROSECONDS } from '../connection-locks/named-lock-kind.ts';
import { SeenConnections } from '../connection-locks/seen-connections.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from '../connection-locks/session-lock-kind.ts';
import { RowLockSteps, type RowLockTexts } from './row-lock-steps.ts';
import { transactionKind } from './transaction-kind.ts';

const LOCK_WAIT_TIMEOUT = '1205';
const IN_TRANSACTION = '1568';

/** `SELECT … FOR UPDATE` on a row for each name. */
export function mysqlRowLockKind(parts: SessionParts): SessionLockKind {
  const rows = new LockRows(parts, 'mysql');
  const seen = new SeenConnections();
  const texts: RowLockTexts = {
    select: `select fence, ${MYSQL_MICROSECONDS} from ${rows.table} where name = ? for update`,
    exists: `select 1 from ${rows.table} where name = ?`,
    setFence: (name, fence) => [`update ${rows.table} set fence = ? where name = ?`, [fence, name]],
  };
  const steps = new RowLockSteps(parts, rows, texts, start);
  return transactionKind('rowLock', {
    begin: async (connection) => {
      const [id] = await queryRow(connection.session, 'select connection_id()', []);
      await seen.identify(connection, String(id));
      await start(connection);
    },
    attempt: (connection) => steps.attempt(connection),
    wait: (connection, sliceMs) => waitInServer(connection, sliceMs, () => steps.wait(connection)),
    interrupt: (connection) => interruptMysql(parts, connection),
    // InnoDB shows who waits for whom only to users with the PROCESS privilege: no holder is known here that could be
    // ended.
    terminate: async () => undefined,
    findHolder: async () => undefined,
  });
}

async function start({ session }: LockConnection): Promise<void> {
  // Applies to the next transaction only.
  const isolate = () => session.query('set transaction isolation level read committed', []);
  await isolate().catch(async (error: unknown) => {
    if (codeOf(error) !== IN_TRANSACTION) throw error;
    // With autocommit = 0 every statement begins a transaction, and a connection that goes back to its pool takes it
    // along.
    await session.query('rollback', []);
    await isolate();
  });
  await session.query('start transaction', []);
}

/** Waits in the server, and restores the time limit afterwards: the statements that follow are the user's. */
async function waitInServer(
  { session }: LockConnection,
  sliceMs: number,
  step: () => Promise<LockStep>,
): Promise<LockStep> {
  const [before] = await queryRow(session, 'select @@session.innodb_lock_wait_timeout', []);
  const set = (seconds: number) => session.query(`set session innodb_lock_wait_timeout = ${seconds}`, []);
  await set(Math.max(1, Math.round(sliceMs / 1000)));
  try {
    return await step();
  } catch (error) {
    // Only the statement was undone; the transaction goes on.
    if (codeOf(error) !== LOCK_WAIT_TIMEOUT) throw error;
    return { kind: 'busy' };
  } finally {
    await set(Number(before)).catch(() => undefined);
  }
}
