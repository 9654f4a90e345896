import type { Sending } from '../../../../spi/engine/documents.ts';
import type { SqlClient, SqlFailure, SqlResult, SqlSession, SqlValue } from '../../sql-client.ts';
import { type LentConnection, LentSession } from './lent-connection.ts';
import { failureOf, SqlError } from '../errors/sql-error.ts';
import { StatementsUnderWay } from './statements-under-way.ts';

/** How a pool lends connections, and what its errors mean. */
export interface Lending {
  lend(): Promise<LentConnection>;
  /** How many connections the pool has. */
  readonly poolSize: number;
  /** `sent`: whether the statement can have reached the server. */
  error(error: unknown, sent: boolean): SqlError;
}

/** After such a failure the connection is closed: it has broken, or leads to a server that is no longer the primary. */
const LEADS_NOWHERE: ReadonlySet<SqlFailure> = new Set(['unknown', 'unreachable', 'read-only']);

/**
 * Statements over a pool that lends connections. Borrows a connection for each statement instead of handing the
 * statement to the pool: only so is it known whether an error came before the statement was sent, and a statement that
 * was not sent has no unknown outcome to settle.
 */
export class LendingClient implements SqlClient {
  readonly atOnce: number;
  readonly failure = failureOf;
  readonly #lending: Lending;
  readonly #underWay = new StatementsUnderWay<LentConnection>((lent) => lent.end('discard'));

  constructor(lending: Lending) {
    this.#lending = lending;
    this.atOnce = lending.poolSize;
  }

  async query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult> {
    const lent = await this.#lend();
    if (sending?.isWanted === false) {
      lent.end('reuse');
      throw new SqlError('no connection was free while the statement was wanted', 'unreachable', undefined);
    }
    sending?.leaves();
    // Without a listener an error between two statements would be unhandled and end the process.
    const unlisten = lent.onBroken(() => undefined);
    const statement = this.#underWay.add(lent);
    let how: 'reuse' | 'discard' = 'discard';
    try {
      const result = await lent.query(text, values, true);
      how = 'reuse';
      return result;
    } catch (error) {
      const known = this.#lending.error(error, true);
      if (known.failure !== 'unknown') sending?.cameToNothing();
      if (!LEADS_NOWHERE.has(known.failure)) how = 'reuse';
      throw known;
    } finally {
      this.#underWay.remove(statement);
      if (!statement.isAbandoned) lent.end(how);
      unlisten();
    }
  }

  abandonAfter(ms: number): void {
    this.#underWay.abandonAfter(ms);
  }

  readonly openSession = async (): Promise<SqlSession> => new LentSession(await this.#lend());

  async close(): Promise<void> {
    // Everything was given back, and the pool belongs to the user.
  }

  async #lend(): Promise<LentConnection> {
    try {
      return await this.#lending.lend();
    } catch (error) {
      throw this.#lending.error(error, false);
    }
  }
}
