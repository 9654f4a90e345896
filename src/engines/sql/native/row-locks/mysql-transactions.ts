import { codeOf } from '../../clients/errors/sql-error.ts';
import { queryRow } from '../connection-locks/advisory-lock-kind.ts';
import { LockRows } from './lock-rows.ts';
import { interruptMysql } from '../connection-locks/kill-mysql.ts';
import { MYSQL_MICROSECONDS } from '../connection-locks/named-lock-kind.ts';
import { SeenConnections } from '../connection-locks/seen-connections.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from '../connection-locks/session-lock-kind.ts';
import { transactionKind } from './transaction-kind.ts';

const LOCK_WAIT_TIMEOUT = '1205';
const IN_TRANSACTION = '1568';

/** `SELECT … FOR UPDATE` on a row for each name. */
export function mysqlRowLockKind(parts: SessionParts): SessionLockKind {
  const rows = new LockRows(parts, 'mysql');
  const seen = new SeenConnections();
  const select = `select fence, ${MYSQL_MICROSECONDS} from ${rows.table} where name = ? for update`;

  /** Keeps the fence in the row, so that it grows even if the clock goes back. */
  async function lock(connection: LockConnection, text: string): Promise<LockStep> {
    const [last, now] = await queryRow(connection.session, text, [connection.name]);
    if (last === undefined) return { kind: 'busy' };
    const fence = Math.max(Number(last) + 1, Number(now));
    await connection.session.query(`update ${rows.table} set fence = ? where name = ?`, [
      fence,
      connection.name,
    ]);
    return { kind: 'granted', fence };
  }

  async function attempt(connection: LockConnection): Promise<LockStep> {
    try {
      const step = await lock(connection, `${select} skip locked`);
      if (step.kind === 'granted' || (await isThere(connection))) return step;
    } catch (error) {
      if (parts.sql.failure(error) !== 'missing') throw error;
    }
    await connection.session.query('rollback', []);
    await rows.add(connection);
    await start(connection);
    return lock(connection, `${select} skip locked`);
  }

  async function isThere({ session, name }: LockConnection): Promise<boolean> {
    return (await session.query(`select 1 from ${rows.table} where name = ?`, [name])).rows.length > 0;
  }

  return transactionKind('rowLock', {
    begin: async (connection) => {
      const [id] = await queryRow(connection.session, 'select connection_id()', []);
      await seen.identify(connection, String(id));
      await start(connection);
    },
    attempt,
    wait: (connection, sliceMs) =>
      waitInServer(connection, sliceMs, async () => {
        const step = await lock(connection, select);
        // The row was deleted while we waited for it.
        return step.kind === 'granted' ? step : attempt(connection);
      }),
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
