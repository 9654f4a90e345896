import type { SqlClient, SqlResult, SqlSession, SqlValue } from '../sql-client.ts';
import { type LentConnection, LentSession } from './lent-connection.ts';
import { failureOf, type SqlError } from './sql-error.ts';

/** How a pool lends connections, and what its errors mean. */
export interface Lending {
  lend(): Promise<LentConnection>;
  /** `sent`: whether the statement can have reached the server. */
  error(error: unknown, sent: boolean): SqlError;
}

/**
 * Statements over a pool that lends connections. We borrow one for each statement instead of handing the statement to the
 * pool: only so is it known whether an error came before the statement was sent, and what is certainly not done need not
 * be settled.
 */
export class LendingClient implements SqlClient {
  readonly failure = failureOf;
  readonly #lending: Lending;

  constructor(lending: Lending) {
    this.#lending = lending;
  }

  async query(text: string, values: readonly SqlValue[]): Promise<SqlResult> {
    const lent = await this.#lend();
    // Somebody has to listen, or an error between two statements would be nobody's and end the process.
    const unlisten = lent.onBroken(() => undefined);
    let how: 'reuse' | 'discard' = 'discard';
    try {
      const result = await lent.query(text, values, true);
      how = 'reuse';
      return result;
    } catch (error) {
      const known = this.#lending.error(error, true);
      if (known.failure !== 'unknown' && known.failure !== 'unreachable') how = 'reuse';
      throw known;
    } finally {
      lent.end(how);
      unlisten();
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
