import type { SqlValue } from '../../sql-client.ts';
import { rowOf } from './advisory-lock-kind.ts';
import { lockName } from '../table-locks/lock-name.ts';
import { interruptMysql, terminateMysql } from './kill-mysql.ts';
import { SeenConnections } from './seen-connections.ts';
import { notPrimary } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from './session-lock-kind.ts';

export const MYSQL_MICROSECONDS = `timestampdiff(microsecond, '1970-01-01', utc_timestamp(6))`;

/** The server ends a connection that was silent for so much longer than its holder believes in it. */
const LONGER_S = 15;

/** The user locks of MySQL and MariaDB. */
export function namedLockKind(parts: SessionParts): SessionLockKind {
  const seen = new SeenConnections();

  async function stepOf(bearer: LockConnection, granted: SqlValue | undefined): Promise<LockStep> {
    // Out of memory, or killed.
    if (granted === null || granted === undefined) throw new Error('the server could not grant the lock');
    if (Number(granted) !== 1) return { kind: 'busy' };
    // After the grant: whoever had it before was given an earlier one.
    const [fence] = await rowOf(bearer.session, `select ${MYSQL_MICROSECONDS}`, []);
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
    prepare: async (bearer) => {
      const asked = 'select connection_id(), @@session.wait_timeout, @@global.read_only';
      const [id, waitTimeout, readOnly] = await rowOf(bearer.session, asked, []);
      if (Number(readOnly) === 1) {
        throw notPrimary(
          bearer.subject,
          'this server is read-only, as a replica is: a lock on it would not be one on its primary.',
        );
      }
      await seen.identify(bearer, String(id));
      bearer.before = [String(waitTimeout)];
      await trust(bearer, bearer.trustMs);
    },
    attempt: async (bearer) => {
      const [granted] = await rowOf(bearer.session, 'select get_lock(?, 0)', [lockName(bearer.name)]);
      return stepOf(bearer, granted);
    },
    wait: async (bearer, sliceMs) => {
      // Whole seconds, which is all that MySQL knows.
      const values = [lockName(bearer.name), Math.max(1, Math.round(sliceMs / 1000))];
      const [granted] = await rowOf(bearer.session, 'select get_lock(?, ?)', values);
      return stepOf(bearer, granted);
    },
    isHeld: async ({ session, name }) => {
      const [own] = await rowOf(session, 'select is_used_lock(?) = connection_id()', [lockName(name)]);
      return Number(own) === 1;
    },
    release: async (bearer) => {
      const [released] = await rowOf(bearer.session, 'select release_lock(?)', [lockName(bearer.name)]);
      await setBack(bearer);
      return Number(released) === 1;
    },
    leave: setBack,
    holder: async (name) => {
      const found = await parts.sql.query('select is_used_lock(?)', [lockName(name)]);
      const id = found.rows[0]?.[0];
      return id === null || id === undefined ? undefined : String(id);
    },
    interrupt: (bearer) => interruptMysql(parts, bearer),
    terminate: (serverId, name) => terminateMysql(parts, serverId, name),
  };
}
