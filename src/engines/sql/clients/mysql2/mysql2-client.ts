import type { SqlResult, SqlValue } from '../../sql-client.ts';
import { type KillableConnection, killMysql2 } from './kill-mysql2.ts';
import { LendingClient } from '../lending/lending-client.ts';
import type { LentConnection } from '../lending/lent-connection.ts';
import { mysqlError } from '../errors/mysql-failure.ts';
import { mysqlResult } from '../values/mysql-result.ts';
import { mysqlParameter } from '../values/mysql-values.ts';
import { poolSize } from '../pool-size.ts';
import { SqlError } from '../errors/sql-error.ts';

/** What we use of mysql2. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2Connection>;
  /** The one with callbacks beneath. */
  readonly pool?: { readonly config?: { readonly connectionLimit?: unknown } };
}

/** A connection with promises, as it is lent, and the one beneath. */
export interface Mysql2Connection {
  readonly connection: CallbackConnection;
  release(): void;
  destroy(): void;
}

/** What has not been answered yet on a connection: how each of them fails. */
type UnderWay = Set<(error: unknown) => void>;

type Done = (error: unknown, answer: unknown) => void;

interface CallbackConnection extends KillableConnection {
  query(options: object, done: Done): unknown;
  execute(options: object, done: Done): unknown;
  on(event: string, listener: (told: never) => void): unknown;
  off(event: string, listener: (told: never) => void): unknown;
}

/** Statements over a pool of mysql2, with promises. */
export function mysql2Client(pool: Mysql2Pool): LendingClient {
  return new LendingClient({
    lend: async () => lentConnection(await pool.getConnection()),
    error: mysqlError,
    poolSize: poolSize(pool.pool?.config?.connectionLimit),
  });
}

function lentConnection(native: Mysql2Connection): LentConnection {
  const { connection } = native;
  const underWay: UnderWay = new Set();
  return {
    native,
    query: (text, values) => query(connection, text, values, underWay),
    onBroken: (told) => {
      const reportEnd = (): void => told(new Error('the server closed the connection'));
      connection.on('error', told);
      connection.on('end', reportEnd);
      return () => {
        connection.off('error', told);
        connection.off('end', reportEnd);
      };
    },
    end: (how) => {
      if (how === 'reuse') return native.release();
      if (underWay.size > 0) killMysql2(connection);
      native.destroy();
      // The client forgets what was under way on a connection that it destroys.
      for (const fail of underWay) fail(new SqlError('the connection was closed', 'unknown', undefined));
      return undefined;
    },
  };
}

async function query(
  connection: CallbackConnection,
  text: string,
  values: readonly SqlValue[],
  underWay: UnderWay,
): Promise<SqlResult> {
  try {
    return mysqlResult(await sendStatement(connection, text, values, underWay));
  } catch (error) {
    throw mysqlError(error);
  }
}

/**
 * By the connection beneath the promises: those note at each statement where it was asked for, and pass each listener on by
 * two more. Without that an uncontended pair is shorter by a twentieth.
 */
function sendStatement(
  connection: CallbackConnection,
  text: string,
  values: readonly SqlValue[],
  underWay: UnderWay,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done: Done = (error, answer) => {
      underWay.delete(reject);
      if (error) reject(error);
      else resolve(answer);
    };
    underWay.add(reject);
    // With values always prepared on the server: the other way, the client would write them into the text.
    if (values.length === 0) connection.query(statement(text, []), done);
    else connection.execute(statement(text, values.map(mysqlParameter)), done);
  });
}

/** The users' own ideas of how to read a type do not concern us. */
function statement(sql: string, values: readonly unknown[]): object {
  return {
    sql,
    values,
    rowsAsArray: true,
    typeCast: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    jsonStrings: true,
    namedPlaceholders: false,
  };
}
