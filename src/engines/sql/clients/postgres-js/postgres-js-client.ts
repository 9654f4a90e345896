import type { Sending } from '../../../../spi/engine/documents.ts';
import type { SqlClient, SqlResult, SqlSession, SqlValue } from '../../sql-client.ts';
import { LentSession } from '../lending/lent-connection.ts';
import { lendPostgresJs } from './postgres-js-connection.ts';
import { sizeOfPool } from '../pool-settings.ts';
import { postgresJsQuery } from './postgres-js-query.ts';
import type { PostgresJs } from './postgres-js-shapes.ts';
import { postgresError } from '../errors/postgres-failure.ts';
import { isPreparationError } from '../prepared-names.ts';
import { failureOf, SqlError } from '../errors/sql-error.ts';

/**
 * Statements over the `sql` of postgres.js, which lends connections by itself and prepares by itself. None is
 * abandoned. Cancelling a statement that was sent could hit another: connections carry several at a time. Cancelling
 * one that was not sent, if it is the first of a connection that is being opened, takes that connection out of the
 * pool: postgres.js 3.4 then never counts it as open. A statement that is carried out late changes nothing, by its own
 * limit.
 */
export function postgresJsClient(sql: PostgresJs, { prepare = true } = {}): SqlClient {
  let preparing = prepare;

  async function query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult> {
    if (sending?.isWanted === false)
      throw new SqlError(
        'the statement was no longer wanted when it was to be sent',
        'unreachable',
        undefined,
      );
    // postgres.js queues statements until it has a connection, and does not report when it sends them.
    sending?.leaves();
    try {
      return await postgresJsQuery(sql, text, values, preparing);
    } catch (error) {
      const known = postgresError(error);
      if (known.failure !== 'unknown') sending?.cameToNothing();
      if (!preparing || !isPreparationError(known.code)) throw known;
      preparing = false;
      return query(text, values, sending);
    }
  }

  return {
    atOnce: sizeOfPool(sql.options?.max),
    query,
    failure: failureOf,
    openSession: async (): Promise<SqlSession> => new LentSession(await lendPostgresJs(sql)),
    listen: async (channel, heard) => {
      // postgres.js calls this each time it begins to listen: the first call is the beginning, each later one a gap.
      let again = false;
      const gap = (): void => {
        if (again) heard();
        again = true;
      };
      const listening = await sql
        .listen(channel, (payload) => heard(payload), gap)
        .catch((error: unknown) => {
          throw postgresError(error, false);
        });
      return () => void listening.unlisten().catch(() => undefined);
    },
    close: async () => undefined,
  };
}
