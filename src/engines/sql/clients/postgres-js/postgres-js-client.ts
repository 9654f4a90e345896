import type { Sending } from '../../../../kernels/requests/sending.ts';
import type { SqlClient, SqlResult, SqlSession, SqlValue } from '../../sql-client.ts';
import { LentSession } from '../lent-connection.ts';
import { lendPostgresJs } from './postgres-js-connection.ts';
import { poolSize } from '../pool-size.ts';
import { postgresJsQuery } from './postgres-js-query.ts';
import type { PostgresJs, PostgresJsQuery } from './postgres-js-shapes.ts';
import { postgresError } from '../postgres-failure.ts';
import { isPreparationError } from '../prepared-names.ts';
import { failureOf, SqlError } from '../sql-error.ts';
import { StatementsUnderWay } from '../statements-under-way.ts';

/** Statements over the `sql` of postgres.js, which lends connections by itself and prepares by itself. */
export function postgresJsClient(sql: PostgresJs, { prepare = true } = {}): SqlClient {
  let preparing = prepare;
  // One that was sent stays: connections carry several at a time, and to end what one of them does could hit another's.
  const underWay = new StatementsUnderWay<PostgresJsQuery>((statement) => {
    if (!statement.state) statement.cancel();
  });

  async function query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult> {
    if (sending?.isWanted === false)
      throw new SqlError(
        'the statement was no longer wanted when it was to be sent',
        'unreachable',
        undefined,
      );
    // postgres.js keeps statements until it has a connection, and does not tell when it sends them.
    if (sending !== undefined) sending.wasSent = true;
    try {
      return await postgresJsQuery(sql, text, values, preparing, underWay);
    } catch (error) {
      const known = postgresError(error);
      if (!preparing || !isPreparationError(known.code)) throw known;
      preparing = false;
      return query(text, values, sending);
    }
  }

  return {
    atOnce: poolSize(sql.options?.max),
    query,
    abandonAfter: (ms) => underWay.abandonAfter(ms),
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
