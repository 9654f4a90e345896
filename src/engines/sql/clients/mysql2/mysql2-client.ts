import type { SqlResult, SqlValue } from '../../sql-client.ts';
import { type KillableConnection, killMysql2 } from './kill-mysql2.ts';
import { LendingClient } from '../lending/lending-client.ts';
import type { LentConnection } from '../lending/lent-connection.ts';
import { onBroken } from '../lending/on-broken.ts';
import { mysqlError } from '../errors/mysql-failure.ts';
import { mysqlParameter, mysqlResult } from '../values/mysql-values.ts';
import { sizeOfPool } from '../pool-settings.ts';
import { SqlError } from '../errors/sql-error.ts';

/** The part of mysql2 that we use. */
export interface Mysql2Pool {
  getConnection(): Promise<Mysql2Connection>;
  /** The pool with callbacks beneath the promises. */
  readonly pool?: { readonly config?: { readonly connectionLimit?: unknown } };
}

/** A lent connection with promises, and the one with callbacks beneath it. */
export interface Mysql2Connection {
  readonly connection: CallbackConnection;
  release(): void;
  destroy(): void;
}

const CLOSED = 'the connection was closed';

/** How to fail each statement of a connection that has no answer yet. */
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
    poolSize: sizeOfPool(pool.pool?.config?.connectionLimit),
  });
}

function lentConnection(native: Mysql2Connection): LentConnection {
  const { connection } = native;
  const underWay: UnderWay = new Set();
  return {
    native,
    query: (text, values) => query(connection, text, values, underWay),
    onBroken: (told) => onBroken(connection, told),
    end: (how) => {
      if (how === 'reuse') return native.release();
      if (underWay.size > 0) killMysql2(connection);
      native.destroy();
      for (const fail of underWay) fail(new SqlError(CLOSED, 'unknown', undefined));
      failQueue(connection);
      return undefined;
    },
  };
}

/**
 * Fails what mysql2 still has to do on a connection that it has destroyed: it forgets statements of the user, who has the
 * connection of a transaction, and the farewell that `pool.end()` of the user has put behind the statement under way. The
 * race: the user ends the pool while a lock waits in the server, the client closes that connection, and `pool.end()` never
 * settles. mysql2 fails all of them when the socket does.
 */
function failQueue(connection: CallbackConnection): void {
  // mysql2 also emits the failure, and without a listener that ends the process.
  connection.on('error', () => undefined);
  connection.stream?.destroy?.(Object.assign(new Error(CLOSED), { code: 'PROTOCOL_CONNECTION_LOST' }));
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
 * Uses the connection beneath the promises: the promise layer captures a stack for each statement, and wraps each
 * listener twice. Without it an uncontended pair is 5 % shorter.
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
    // Always prepared on the server if there are values: otherwise the client would write them into the text.
    if (values.length === 0) connection.query(statement(text, []), done);
    else connection.execute(statement(text, values.map(mysqlParameter)), done);
  });
}

/** Overrides the user's settings for reading types. */
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
