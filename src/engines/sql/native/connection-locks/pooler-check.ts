import type { ErrorSubject } from '../../../../spi/errors.ts';
import { sessionInTime } from '../../session-in-time.ts';
import type { SqlSession } from '../../sql-client.ts';
import { refusal } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';

const OWN_PID = 'select pg_backend_pid()';

/**
 * Finds out whether a connection to PostgreSQL is one connection of the server. A pooler in transaction mode gives each
 * transaction another server connection: the lock of a session would stay behind there with the next client of that
 * connection, and its release would go to a third one.
 */
export class PoolerCheck {
  readonly #parts: SessionParts;
  /** Server processes that answered on the very connection that was promised to them. */
  readonly #direct = new Set<number>();
  #shared: Promise<boolean> | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  async refuseShared(session: SqlSession, subject: ErrorSubject): Promise<void> {
    const { serverPid } = session;
    if (serverPid !== undefined && this.#direct.has(serverPid)) return;
    const pid = await readPid(session);
    if (pid === serverPid) return void this.#direct.add(pid);
    if (!(await this.#isShared(session, pid))) return;
    throw refusal(
      subject,
      'something between this process and PostgreSQL gives each transaction another connection, as PgBouncer does in transaction mode. A lock of a session would stay behind there. Connect directly, or use the scope of a transaction.',
    );
  }

  /** All connections lead to the same place, so one comparison counts for all of them. */
  #isShared(session: SqlSession, pid: number): Promise<boolean> {
    if (this.#shared !== undefined) return this.#shared;
    const found = this.#compare(session, pid);
    this.#shared = found;
    // A connection that broke meanwhile says nothing about the others.
    found.catch(() => (this.#shared = undefined));
    return found;
  }

  /**
   * Leaves the first connection idle while the second has a transaction. The two share server processes if the
   * transaction gets the process of the first, or if the first then gets another one. To ask the first connection twice
   * would not do: as long as it is alone, a pooler gives it the same process again and again.
   */
  async #compare(first: SqlSession, pid: number): Promise<boolean> {
    const { client, openSession: session, commandTimeoutMs } = this.#parts;
    const second = await sessionInTime(client.clock, session(), commandTimeoutMs);
    try {
      await second.query('begin', []);
      const shared = (await readPid(second)) === pid || (await readPid(first)) !== pid;
      await second.query('rollback', []);
      await second.end('reuse');
      return shared;
    } catch (error) {
      await second.end('discard');
      throw error;
    }
  }
}

async function readPid(session: SqlSession): Promise<number> {
  return Number((await session.query(OWN_PID, [])).rows[0]?.[0]);
}
