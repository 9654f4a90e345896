import { systemClock } from '../../../kernels/surroundings.ts';
import type { SqlClient, SqlFailure, SqlResult, SqlSession, SqlValue } from '../sql-client.ts';
import { type LentConnection, LentSession } from './lent-connection.ts';
import { failureOf, type SqlError } from './sql-error.ts';

/** How a pool lends connections, and what its errors mean. */
export interface Lending {
  lend(): Promise<LentConnection>;
  /** How many connections the pool has. */
  readonly poolSize: number;
  /** `sent`: whether the statement can have reached the server. */
  error(error: unknown, sent: boolean): SqlError;
}

/** After such a failure the connection is closed: it has broken, or leads to a server that is not the primary any more. */
const LEADS_NOWHERE: ReadonlySet<SqlFailure> = new Set(['unknown', 'unreachable', 'read-only']);

/** A statement that has not been answered yet. */
interface UnderWay {
  readonly lent: LentConnection;
  readonly sinceMs: number;
  isAbandoned: boolean;
}

/**
 * Statements over a pool that lends connections. We borrow one for each statement instead of handing the statement to the
 * pool: only so is it known whether an error came before the statement was sent, and what is certainly not done need not
 * be settled.
 */
export class LendingClient implements SqlClient {
  readonly atOnce: number;
  readonly failure = failureOf;
  readonly #lending: Lending;
  /** In the order in which they were sent. */
  readonly #underWay = new Set<UnderWay>();

  constructor(lending: Lending) {
    this.#lending = lending;
    this.atOnce = lending.poolSize;
  }

  async query(text: string, values: readonly SqlValue[]): Promise<SqlResult> {
    const lent = await this.#lend();
    // Somebody has to listen, or an error between two statements would be nobody's and end the process.
    const unlisten = lent.onBroken(() => undefined);
    const statement = { lent, sinceMs: systemClock.now(), isAbandoned: false };
    this.#underWay.add(statement);
    let how: 'reuse' | 'discard' = 'discard';
    try {
      const result = await lent.query(text, values, true);
      how = 'reuse';
      return result;
    } catch (error) {
      const known = this.#lending.error(error, true);
      if (!LEADS_NOWHERE.has(known.failure)) how = 'reuse';
      throw known;
    } finally {
      this.#underWay.delete(statement);
      if (!statement.isAbandoned) lent.end(how);
      unlisten();
    }
  }

  abandonAfter(ms: number): void {
    const before = systemClock.now() - ms;
    for (const statement of this.#underWay) {
      if (statement.sinceMs > before) return;
      this.#underWay.delete(statement);
      statement.isAbandoned = true;
      statement.lent.end('discard');
    }
  }

  readonly session = async (): Promise<SqlSession> => new LentSession(await this.#lend());

  async close(): Promise<void> {
    // Everything was given back, and the pool is the user's.
  }

  async #lend(): Promise<LentConnection> {
    try {
      return await this.#lending.lend();
    } catch (error) {
      throw this.#lending.error(error, false);
    }
  }
}
