import { createHash } from 'node:crypto';
import type { SqlValue } from '../../sql-client.ts';
import { queryRow } from './advisory-lock-kind.ts';
import { interruptMysql, terminateMysql } from './kill-mysql.ts';
import { SeenConnections } from './seen-connections.ts';
import { notPrimary } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from './session-lock-kind.ts';

export const MYSQL_MICROSECONDS = `timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))`;

/** How much longer than its holder the server trusts a silent connection before it ends it. */
const LONGER_S = 15;

/** The user locks of MySQL and MariaDB. */
export function namedLockKind(parts: SessionParts): SessionLockKind {
  const seen = new SeenConnections();

  async function stepOf(connection: LockConnection, granted: SqlValue | undefined): Promise<LockStep> {
    // The server ran out of memory, or killed the statement.
    if (granted === null || granted === undefined) throw new Error('the server could not grant the lock');
    if (Number(granted) !== 1) return { kind: 'busy' };
    // Reads the fence after the grant, so that it is higher than that of the holder before.
    const [fence] = await queryRow(connection.session, `select ${MYSQL_MICROSECONDS}`, []);
    return { kind: 'granted', fence: Number(fence) };
  }

  const setBack = async ({ session, before: [waitTimeout] }: LockConnection): Promise<void> => {
    if (waitTimeout !== undefined)
      await session.query(`set session wait_timeout = ${Number(waitTimeout)}`, []);
  };

  async function trust({ session }: LockConnection, trustMs: number): Promise<void> {
    await session.query(`set session wait_timeout = ${Math.ceil(trustMs / 1000) + LONGER_S}`, []);
  }

  return {
    kind: 'namedLock',
    trust,
    prepare: async (connection) => {
      const asked = 'select connection_id(), @@session.wait_timeout, @@global.read_only';
      const [id, waitTimeout, readOnly] = await queryRow(connection.session, asked, []);
      if (Number(readOnly) === 1) {
        throw notPrimary(
          connection.subject,
          'this server is read-only, as a replica is: a lock on it would not be one on its primary.',
        );
      }
      await seen.identify(connection, String(id));
      connection.before = [String(waitTimeout)];
      await trust(connection, connection.trustMs);
    },
    attempt: async (connection) => {
      const [granted] = await queryRow(connection.session, 'select get_lock(?, 0)', [
        lockName(connection.name),
      ]);
      return stepOf(connection, granted);
    },
    wait: async (connection, sliceMs) => {
      // MySQL waits for whole seconds only.
      const values = [lockName(connection.name), Math.max(1, Math.round(sliceMs / 1000))];
      const [granted] = await queryRow(connection.session, 'select get_lock(?, ?)', values);
      return stepOf(connection, granted);
    },
    isHeld: async ({ session, name }) => {
      const [own] = await queryRow(session, 'select is_used_lock(?) = connection_id()', [lockName(name)]);
      return Number(own) === 1;
    },
    release: async (connection) => {
      const [released] = await queryRow(connection.session, 'select release_lock(?)', [
        lockName(connection.name),
      ]);
      await setBack(connection);
      return Number(released) === 1;
    },
    leave: setBack,
    findHolder: async (name) => {
      const found = await parts.sql.query('select is_used_lock(?)', [lockName(name)]);
      const id = found.rows[0]?.[0];
      return id === null || id === undefined ? undefined : String(id);
    },
    interrupt: (connection) => interruptMysql(parts, connection),
    terminate: (serverId, name) => terminateMysql(parts, serverId, lockName(name)),
  };
}

/** Names that both MySQL and MariaDB keep apart: MySQL takes 64 characters and ignores their case. */
const PORTABLE = /^[\x21-\x40\x5b-\x7e]{1,64}$/;
const HASHED = 'holdfast:';

/**
 * The server's name of a named lock: the name itself if it has up to 64 printable ASCII characters without capitals,
 * else `holdfast:` and the first 40 hexadecimal digits of its SHA-256. Names that begin with `holdfast:` are hashed as
 * well.
 */
export function lockName(name: string): string {
  if (PORTABLE.test(name) && !name.startsWith(HASHED)) return name;
  return `${HASHED}${createHash('sha256').update(name, 'utf8').digest('hex').slice(0, 40)}`;
}
