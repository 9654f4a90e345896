import type { ErrorSubject } from '../../../../spi/errors.ts';
import { sessionInTime } from '../../session-in-time.ts';
import type { SqlSession } from '../../sql-client.ts';
import { refusal } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';

const OWN_PID = 'select pg_backend_pid()';

/**
 * Finds out whether a connection to PostgreSQL is one in the server. Behind a pooler that gives each transaction another
 * one, what a session holds would stay behind with whoever comes next, and its release would go elsewhere.
 */
export class PoolerCheck {
  readonly #parts: SessionParts;
  /** Processes of the server that answered by themselves on the connection that was promised them. */
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

  /** The same for all connections: they lead to the same place. */
  #isShared(session: SqlSession, pid: number): Promise<boolean> {
    if (this.#shared !== undefined) return this.#shared;
    const found = this.#compare(session, pid);
    this.#shared = found;
    // A connection that broke meanwhile says nothing about the others.
    found.catch(() => (this.#shared = undefined));
    return found;
  }

  /**
   * Of two connections one is idle while the other has a transaction. If that one is given the process of the first, or
   * the first then has another one, they share them. To ask the first one twice would not do: as long as nobody else is
   * there, a pooler gives it the same one again and again.
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
