import { codeOf } from '../../clients/sql-error.ts';
import {
  interruptPostgres,
  LOCK_TIMEOUT,
  POSTGRES_MICROSECONDS,
  rowOf,
  standbyRefusal,
  terminatePostgres,
} from '../connection-locks/advisory-lock-kind.ts';
import { advisoryKey } from '../connection-locks/advisory-key.ts';
import { LockRows } from './lock-rows.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from '../connection-locks/session-lock-kind.ts';
import { transactionKind } from './transaction-kind.ts';

/** Fails if a statement of the transaction has failed, which a bare commit would not tell: it would undo and say nothing. */
export const POSTGRES_COMMIT = 'select 1; commit';

const BEGIN = 'begin isolation level read committed';

/** `SELECT … FOR UPDATE` on a row for each name. */
export function postgresRowLockKind(parts: SessionParts): SessionLockKind {
  const rows = new LockRows(parts, 'postgres');
  const select = `select fence, ${POSTGRES_MICROSECONDS} from ${rows.table} where name = $1 for update`;

  /** The fence is kept in the row, so that it grows even if the clock goes back. */
  async function lock(bearer: LockConnection, text: string): Promise<LockStep> {
    const [last, now] = await rowOf(bearer.session, text, [bearer.name]);
    if (last === undefined) return { kind: 'busy' };
    const fence = Math.max(Number(last) + 1, Number(now));
    await bearer.session.query(`update ${rows.table} set fence = $2 where name = $1`, [bearer.name, fence]);
    return { kind: 'granted', fence };
  }

  async function isThere({ session, name }: LockConnection): Promise<boolean> {
    return (await session.query(`select 1 from ${rows.table} where name = $1`, [name])).rows.length > 0;
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
    await begin(parts, bearer);
    return lock(bearer, `${select} skip locked`);
  }

  return transactionKind('rowLock', {
    begin: (bearer) => begin(parts, bearer),
    attempt,
    wait: (bearer, sliceMs) =>
      patiently(parts, bearer, sliceMs, async () => {
        const step = await lock(bearer, select);
        // The row was removed while we waited for it.
        return step.kind === 'granted' ? step : attempt(bearer);
      }),
    interrupt: ({ serverId }) => interruptPostgres(parts, serverId!),
    terminate: (serverId) => terminatePostgres(parts, serverId),
    // The server remembers who locked a row in the row itself, and shows nobody.
    holder: async () => undefined,
  });
}

/** The advisory locks of PostgreSQL that belong to a transaction: they may go through any pooler. */
export function postgresTransactionAdvisoryKind(parts: SessionParts): SessionLockKind {
  const now = `${POSTGRES_MICROSECONDS}, pg_is_in_recovery()`;
  const keyOf = ({ name }: LockConnection): string => String(advisoryKey(name));

  function stepOf(bearer: LockConnection, [granted, fence, standby]: readonly unknown[]): LockStep {
    if (standby === true) throw standbyRefusal(bearer);
    return granted === false ? { kind: 'busy' } : { kind: 'granted', fence: Number(fence) };
  }

  return transactionKind('advisoryLock', {
    begin: (bearer) => begin(parts, bearer),
    attempt: async (bearer) => {
      const text = `select pg_try_advisory_xact_lock($1::bigint), ${now}`;
      return stepOf(bearer, await rowOf(bearer.session, text, [keyOf(bearer)]));
    },
    wait: (bearer, sliceMs) =>
      patiently(parts, bearer, sliceMs, async () => {
        await bearer.session.query('select pg_advisory_xact_lock($1::bigint)', [keyOf(bearer)]);
        return stepOf(bearer, await rowOf(bearer.session, `select true, ${now}`, []));
      }),
    interrupt: ({ serverId }) => interruptPostgres(parts, serverId!),
    terminate: (serverId) => terminatePostgres(parts, serverId),
    holder: async () => undefined,
  });
}

async function begin({ sql }: SessionParts, bearer: LockConnection): Promise<void> {
  // The statements that follow are the user's, and may take as long as they like.
  const unlimited = sql.limitsStatements === true ? 'set local statement_timeout = 0;' : '';
  // Also behind a pooler: within a transaction it is always the same.
  const [pid] = await rowOf(bearer.session, `${BEGIN}; ${unlimited} select pg_backend_pid()`, []);
  bearer.serverId = String(pid);
}

/** Waits in the server. What limits the wait is set back: the statements that follow are the user's. */
async function patiently(
  parts: SessionParts,
  bearer: LockConnection,
  sliceMs: number,
  step: () => Promise<LockStep>,
): Promise<LockStep> {
  const { session } = bearer;
  const read = `select current_setting('lock_timeout'), current_setting('statement_timeout')`;
  const before = await rowOf(session, read, []);
  const set = `select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`;
  await session.query(set, [String(Math.ceil(sliceMs)), '0']);
  try {
    const taken = await step();
    await session.query(set, before);
    return taken;
  } catch (error) {
    if (codeOf(error) !== LOCK_TIMEOUT) throw error;
    // The transaction cannot go on after it. Nobody has used it.
    await session.query('rollback', []);
    await begin(parts, bearer);
    return { kind: 'busy' };
  }
}
