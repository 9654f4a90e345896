import { codeOf } from '../../clients/sql-error.ts';
import { rowOf } from '../connection-locks/advisory-lock-kind.ts';
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

  /** The fence is kept in the row, so that it grows even if the clock goes back. */
  async function lock(bearer: LockConnection, text: string): Promise<LockStep> {
    const [last, now] = await rowOf(bearer.session, text, [bearer.name]);
    if (last === undefined) return { kind: 'busy' };
    const fence = Math.max(Number(last) + 1, Number(now));
    await bearer.session.query(`update ${rows.table} set fence = ? where name = ?`, [fence, bearer.name]);
    return { kind: 'granted', fence };
  }

  async function attempt(bearer: LockConnection): Promise<LockStep> {
    try {
      const step = await lock(bearer, `${select} skip locked`);
      if (step.kind === 'granted' || (await isThere(bearer))) return step;
    } catch (error) {
      if (parts.sql.failure(error) !== 'missing') throw error;
    }
    await bearer.session.query('rollback', []);
    await rows.add(bearer);
    await start(bearer);
    return lock(bearer, `${select} skip locked`);
  }

  async function isThere({ session, name }: LockConnection): Promise<boolean> {
    return (await session.query(`select 1 from ${rows.table} where name = ?`, [name])).rows.length > 0;
  }

  return transactionKind('rowLock', {
    begin: async (bearer) => {
      const [id] = await rowOf(bearer.session, 'select connection_id()', []);
      await seen.identify(bearer, String(id));
      await start(bearer);
    },
    attempt,
    wait: (bearer, sliceMs) =>
      patiently(bearer, sliceMs, async () => {
        const step = await lock(bearer, select);
        // The row was removed while we waited for it.
        return step.kind === 'granted' ? step : attempt(bearer);
      }),
    interrupt: (bearer) => interruptMysql(parts, bearer),
    // InnoDB shows who waits for whom to those only who may see everything: there is no holder to end.
    terminate: async () => undefined,
    holder: async () => undefined,
  });
}

async function start({ session }: LockConnection): Promise<void> {
  // For the next transaction only.
  const isolate = () => session.query('set transaction isolation level read committed', []);
  await isolate().catch(async (error: unknown) => {
    if (codeOf(error) !== IN_TRANSACTION) throw error;
    // With autocommit = 0 every statement begins one, and a connection that goes back to its pool takes it along.
    await session.query('rollback', []);
    await isolate();
  });
  await session.query('start transaction', []);
}

/** Waits in the server. What limits the wait is set back: the statements that follow are the user's. */
async function patiently(
  { session }: LockConnection,
  sliceMs: number,
  step: () => Promise<LockStep>,
): Promise<LockStep> {
  const [before] = await rowOf(session, 'select @@session.innodb_lock_wait_timeout', []);
  const set = (seconds: number) => session.query(`set session innodb_lock_wait_timeout = ${seconds}`, []);
  await set(Math.max(1, Math.round(sliceMs / 1000)));
  try {
    return await step();
  } catch (error) {
    // Only the statement was undone, and the transaction goes on.
    if (codeOf(error) !== LOCK_WAIT_TIMEOUT) throw error;
    return { kind: 'busy' };
  } finally {
    await set(Number(before)).catch(() => undefined);
  }
}
