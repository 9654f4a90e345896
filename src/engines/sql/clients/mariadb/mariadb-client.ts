import type { SqlResult, SqlValue } from '../../sql-client.ts';
import { LendingClient } from '../lending/lending-client.ts';
import type { LentConnection } from '../lending/lent-connection.ts';
import { mysqlError } from '../errors/mysql-failure.ts';
import { mysqlParameter, mysqlResult } from '../values/mysql-values.ts';
import { sizeOfPool } from '../pool-settings.ts';
import { discardMariadb } from './discard-mariadb.ts';

/** The part of mariadb that we use. */
export interface MariadbPool {
  getConnection(): Promise<MariadbConnection>;
}

export interface MariadbConnection {
  query(options: object): Promise<unknown>;
  execute(options: object, values: readonly unknown[]): Promise<unknown>;
  on(event: string, listener: (told: never) => void): unknown;
  off?(event: string, listener: (told: never) => void): unknown;
  removeListener?(event: string, listener: (told: never) => void): unknown;
  release(): Promise<void>;
  destroy(): void;
  readonly threadId: number | null;
}

/** Overrides the user's settings for reading types, and keeps values out of messages. */
const reading = {
  rowsAsArray: true,
  typeCast: undefined,
  bigIntAsNumber: false,
  supportBigNumbers: false,
  insertIdAsNumber: false,
  decimalAsNumber: false,
  dateStrings: true,
  autoJsonMap: false,
  namedPlaceholders: false,
  metaAsArray: false,
  nestTables: false,
  logParam: false,
};

/** Statements over a pool of mariadb, with promises. */
export function mariadbClient(pool: MariadbPool, size?: number): LendingClient {
  return new LendingClient({
    lend: async () => lentConnection(pool, await pool.getConnection()),
    error: mysqlError,
    poolSize: sizeOfPool(size),
  });
}

function lentConnection(pool: MariadbPool, connection: MariadbConnection): LentConnection {
  let last: Promise<unknown> | undefined;
  return {
    native: connection,
    query: (text, values) => {
      const result = query(connection, text, values);
      const over = (): void => {
        if (last === result) last = undefined;
      };
      last = result;
      result.then(over, over);
      return result;
    },
    onBroken: (told) => {
      const reportEnd = (): void => told(new Error('the server closed the connection'));
      connection.on('error', told);
      connection.on('end', reportEnd);
      return () => {
        unlisten(connection, 'error', told);
        unlisten(connection, 'end', reportEnd);
      };
    },
    end: (how) => {
      if (how === 'discard') void discardMariadb(pool, connection, last);
      // The pool checks a connection on its way back; if that fails it closes the connection.
      else void connection.release().catch(() => undefined);
    },
  };
}

function unlisten(connection: MariadbConnection, event: string, listener: (told: never) => void): void {
  if (connection.off) connection.off(event, listener);
  else connection.removeListener?.(event, listener);
}

async function query(
  connection: MariadbConnection,
  text: string,
  values: readonly SqlValue[],
): Promise<SqlResult> {
  try {
    // Always prepared on the server if there are values: otherwise the client would write them into the text.
    const answer = await (values.length === 0
      ? connection.query({ ...reading, sql: text })
      : connection.execute({ ...reading, sql: text }, values.map(mysqlParameter)));
    return mysqlResult(answer);
  } catch (error) {
    throw mysqlError(error);
  }
}
