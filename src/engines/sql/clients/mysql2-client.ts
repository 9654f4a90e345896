import type { SqlResult, SqlValue } from '../sql-client.ts';
import { LendingClient } from './lending-client.ts';
import type { LentConnection } from './lent-connection.ts';
import { mysqlError } from './mysql-failure.ts';
import { mysqlResult } from './mysql-result.ts';
import { mysqlParameter } from './mysql-values.ts';

/** What we use of mysql2. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2Connection>;
}

export interface Mysql2Connection {
  query(options: object): Promise<readonly [unknown, unknown]>;
  execute(options: object): Promise<readonly [unknown, unknown]>;
  on(event: string, listener: (told: never) => void): unknown;
  off(event: string, listener: (told: never) => void): unknown;
  release(): void;
  destroy(): void;
}

/** The users' own ideas of how to read a type do not concern us. */
const reading = {
  rowsAsArray: true,
  typeCast: true,
  supportBigNumbers: true,
  bigNumberStrings: true,
  dateStrings: true,
  jsonStrings: true,
  namedPlaceholders: false,
};

/** Statements over a pool of mysql2, with promises. */
export function mysql2Client(pool: Mysql2Pool): LendingClient {
  return new LendingClient({ lend: async () => lent(await pool.getConnection()), error: mysqlError });
}

function lent(connection: Mysql2Connection): LentConnection {
  return {
    native: connection,
    query: (text, values) => query(connection, text, values),
    onBroken: (told) => {
      const ended = (): void => told(new Error('the server closed the connection'));
      connection.on('error', told);
      connection.on('end', ended);
      return () => {
        connection.off('error', told);
        connection.off('end', ended);
      };
    },
    end: (how) => (how === 'reuse' ? connection.release() : connection.destroy()),
  };
}

async function query(
  connection: Mysql2Connection,
  text: string,
  values: readonly SqlValue[],
): Promise<SqlResult> {
  try {
    // With values always prepared on the server: the other way, the client would write them into the text.
    const [answer] = await (values.length === 0
      ? connection.query({ ...reading, sql: text })
      : connection.execute({ ...reading, sql: text, values: values.map(mysqlParameter) }));
    return mysqlResult(answer);
  } catch (error) {
    throw mysqlError(error);
  }
}
