import { codeOf } from '../../clients/errors/sql-error.ts';
import type { SqlSession, SqlValue } from '../../sql-client.ts';
import { advisoryKey } from './advisory-key.ts';
import { notPrimary } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import { PoolerCheck } from './pooler-check.ts';
import type { LockConnection, SessionLockKind, LockStep } from './session-lock-kind.ts';

export const POSTGRES_MICROSECONDS = '(extract(epoch from clock_timestamp()) * 1000000)::bigint';

/**
 * How the server checks silent connections. The interval and the count are fixed; the idle time follows from how long
 * the holder trusts a silent connection.
 */
const KEEP_ALIVE = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'] as const;
const KEEP_ALIVE_INTERVAL_S = '5';
const KEEP_ALIVE_COUNT = '3';

const READ = KEEP_ALIVE.map((name) => `current_setting('${name}')`).join(', ');
const set = (from: number) =>
  KEEP_ALIVE.map((name, at) => `set_config('${name}', $${from + at}, false)`).join(', ');

const ATTEMPT = `select pg_try_advisory_lock($1::bigint), pg_backend_pid(), ${POSTGRES_MICROSECONDS}, pg_is_in_recovery(), ${READ}, ${set(2)}`;
const RELEASE = `select pg_advisory_unlock($1::bigint), ${set(2)}`;

/** Selects this lock in `pg_locks`, which stores its number in two halves. */
const SAME = `locktype = 'advisory' and objsubid = 1 and granted
  and ((classid::bigint << 32) | objid::bigint) = $1::bigint
  and database = (select oid from pg_database where datname = current_database())`;

export const LOCK_TIMEOUT = '55P03';

/** The advisory locks of PostgreSQL that belong to a session. */
export function advisoryLockKind(parts: SessionParts): SessionLockKind {
  const pooler = new PoolerCheck(parts);

  async function attempt(connection: LockConnection): Promise<LockStep> {
    const values = [
      keyOf(connection),
      secondsOf(connection.trustMs),
      KEEP_ALIVE_INTERVAL_S,
      KEEP_ALIVE_COUNT,
    ];
    const [granted, pid, fence, standby, ...settings] = await queryRow(connection.session, ATTEMPT, values);
    if (standby === true) throw standbyRefusal(connection);
    connection.serverId = String(pid);
    // Each connection attempts once, so these are the settings from before we changed them.
    connection.before = settings.slice(0, KEEP_ALIVE.length).map(String);
    return granted === true ? { kind: 'granted', fence: Number(fence) } : { kind: 'busy' };
  }

  return {
    kind: 'advisoryLock',
    prepare: ({ session, subject }) => pooler.refuseShared(session, subject),
    attempt,
    wait: async (connection, sliceMs) => {
      const { session } = connection;
      // The settings are local to a transaction, or they would stay with the connection. The lock is not local: it
      // outlives the transaction.
      await session.query(
        `begin; set local lock_timeout = ${Math.ceil(sliceMs)}; set local statement_timeout = 0`,
        [],
      );
      let granted: boolean;
      try {
        await session.query('select pg_advisory_lock($1::bigint)', [keyOf(connection)]);
        await session.query('commit', []);
        granted = true;
      } catch (error) {
        if (codeOf(error) !== LOCK_TIMEOUT) throw error;
        await session.query('rollback', []);
        // The server may grant the lock and run out of time in the same moment.
        const held = `select count(*) from pg_locks where ${SAME} and pid = pg_backend_pid()`;
        granted = Number((await queryRow(session, held, [keyOf(connection)]))[0]) > 0;
      }
      if (!granted) return { kind: 'busy' };
      const [fence] = await queryRow(session, `select ${POSTGRES_MICROSECONDS}`, []);
      return { kind: 'granted', fence: Number(fence) };
    },
    trust: async ({ session }, trustMs) => {
      await session.query(`select set_config('${KEEP_ALIVE[0]}', $1, false)`, [secondsOf(trustMs)]);
    },
    isHeld: async ({ session, serverId }) => {
      const [pid] = await queryRow(session, 'select pg_backend_pid()', []);
      return String(pid) === serverId;
    },
    release: async (connection) => {
      const [released] = await queryRow(connection.session, RELEASE, [
        keyOf(connection),
        ...connection.before,
      ]);
      return released === true;
    },
    leave: async ({ session, before }) => {
      await session.query(`select ${set(1)}`, before);
    },
    findHolder: async (name) => {
      const found = await parts.sql.query(`select pid from pg_locks where ${SAME} limit 1`, [
        String(advisoryKey(name)),
      ]);
      const pid = found.rows[0]?.[0];
      return pid === undefined ? undefined : String(pid);
    },
    interrupt: ({ serverId }) => interruptPostgres(parts, serverId!),
    terminate: (serverId) => terminatePostgres(parts, serverId),
  };
}

/**
 * Ends the connection only if it waits for a lock: the server reuses process numbers, and this statement may arrive
 * late.
 */
export async function interruptPostgres({ sql }: SessionParts, serverId: string): Promise<void> {
  const waits = `pid = $1::int and usename = current_user and wait_event_type = 'Lock'`;
  await sql.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${waits}`, [serverId]);
}

export async function terminatePostgres({ sql }: SessionParts, serverId: string): Promise<void> {
  await sql.query('select pg_terminate_backend($1::int)', [serverId]);
}

/** A standby grants an advisory lock beside that of its primary, so the lock would exclude no client of the primary. */
export function standbyRefusal({ subject }: LockConnection): Error {
  return notPrimary(subject, 'this server is a standby: a lock on it would not be one on its primary.');
}

export async function queryRow(
  session: SqlSession,
  text: string,
  values: readonly SqlValue[],
): Promise<readonly SqlValue[]> {
  return (await session.query(text, values)).rows[0] ?? [];
}

function secondsOf(ms: number): string {
  return String(Math.ceil(ms / 1000));
}

function keyOf({ name }: LockConnection): string {
  return String(advisoryKey(name));
}
