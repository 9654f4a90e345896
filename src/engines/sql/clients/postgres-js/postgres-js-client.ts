import type { Sending } from '../../../../spi/engine/documents.ts';
import type { SqlClient, SqlResult, SqlSession, SqlValue } from '../../sql-client.ts';
import { LentSession } from '../lent-connection.ts';
import { lendPostgresJs } from './postgres-js-connection.ts';
import { poolSize } from '../pool-size.ts';
import { postgresJsQuery } from './postgres-js-query.ts';
import type { PostgresJs } from './postgres-js-shapes.ts';
import { postgresError } from '../postgres-failure.ts';
import { isPreparationError } from '../prepared-names.ts';
import { failureOf, SqlError } from '../sql-error.ts';

/**
 * Statements over the `sql` of postgres.js, which lends connections by itself and prepares by itself. None is abandoned. To
 * cancel one that was sent could hit another: connections carry several at a time. To cancel one that was not sent, if it is
 * the first of a connection that is being opened, takes that connection out of the pool: postgres.js 3.4 then never counts it
 * as open. A statement that is carried out late changes nothing, by its own limit.
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
    // postgres.js keeps statements until it has a connection, and does not tell when it sends them.
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
    atOnce: poolSize(sql.options?.max),
    query,
    failure: failureOf,
    session: async (): Promise<SqlSession> => new LentSession(await lendPostgresJs(sql)),
    listen: async (channel, heard) => {
      // It is called for each time that the channel is listened to, the first one included: the others are gaps.
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
