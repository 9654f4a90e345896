import { type BackendKey, sendCancelRequest } from '../cancel-request.ts';
import type { LentConnection } from '../lending/lent-connection.ts';
import { postgresError } from '../errors/postgres-failure.ts';
import { postgresJsQuery } from './postgres-js-query.ts';
import type { PostgresJs, PostgresJsConnection, PostgresJsStatements } from './postgres-js-shapes.ts';
import { SqlError } from '../errors/sql-error.ts';

/**
 * Borrows a connection of postgres.js: that of a transaction which we end at once, and whose function ends when the
 * connection goes back. `sql.reserve` is made for this, but it forgets waiting callers when a connection closes, and
 * keeps using the same handle over another connection after the first has broken, without a report: the owner of a lock
 * on the first would never know.
 */
export function lendPostgresJs(sql: PostgresJs): Promise<LentConnection> {
  return new Promise((resolve, reject) => {
    const over = sql.begin(
      (own) =>
        new Promise<void>((giveBack, fail) => {
          takeConnection(sql, own, giveBack).then(resolve, fail);
        }),
    );
    // Once the connection is lent, this promise says nothing new: `onclose` reports that it has closed.
    over.catch((error: unknown) => reject(postgresError(error, false)));
  });
}

async function takeConnection(
  sql: PostgresJs,
  own: PostgresJsStatements,
  giveBack: () => void,
): Promise<LentConnection> {
  const { connection, pid, secret } = await findConnection(own);
  let underWay = 0;
  const told = new Set<(reason: unknown) => void>();
  let open = true;
  const before = connection.onclose;
  const reportClose = (reason: unknown): void => {
    open = false;
    before?.(reason);
    for (const call of told) call(reason);
  };
  Object.assign(connection, { onclose: reportClose });

  const query = async (...[text, values]: Parameters<LentConnection['query']>) => {
    underWay++;
    try {
      return await postgresJsQuery(own, text, values, false);
    } catch (error) {
      throw postgresError(error);
    } finally {
      underWay--;
    }
  };

  /** postgres.js ends every transaction by itself, ours as well: without an open one the server would warn. */
  const reuse = async (): Promise<void> => {
    await query('begin', [], false);
    if (!open) return;
    keepBetweenTransactions(connection, false);
    giveBack();
  };

  return {
    native: own,
    serverPid: pid,
    query,
    onBroken: (call) => {
      told.add(call);
      return () => void told.delete(call);
    },
    end: (how) => {
      // A closed connection is back in the pool and may be lent to another caller by now: our function never ends.
      if (!open) return;
      if (how === 'reuse') {
        reuse().catch(() => connection.terminate());
        return;
      }
      if (underWay > 0 && pid !== undefined && secret !== undefined) cancelStatement(sql, { pid, secret });
      connection.terminate();
    },
  };
}

/** Sends the request to each address that the connection may lead to: only the right server knows the secret. */
function cancelStatement({ options }: PostgresJs, key: BackendKey): void {
  const { host: hosts = [], port: ports = [], path } = options ?? {};
  if (typeof path === 'string') return sendCancelRequest({ path }, key);
  for (const [at, host] of hosts.entries()) {
    const port = ports[at];
    if (port !== undefined) sendCancelRequest({ host, port }, key);
  }
}

interface Behind {
  readonly connection: PostgresJsConnection;
  readonly pid: number | undefined;
  readonly secret: number | undefined;
}

/** Finds the connection by a statement, which passes it to `onexecute`. */
async function findConnection(own: PostgresJsStatements): Promise<Behind> {
  let connection: PostgresJsConnection | undefined;
  const onexecute = (found: PostgresJsConnection): true => {
    // Before the answer: with the end of the transaction any statement could use the connection.
    if (keepBetweenTransactions(found, true)) connection = found;
    return true;
  };
  const { state } = await own.unsafe('commit', [], { onexecute }).raw();
  if (typeof connection?.terminate === 'function') {
    return { connection, pid: state?.pid ?? undefined, secret: state?.secret ?? undefined };
  }
  throw new SqlError(
    'this version of postgres.js does not show when a connection breaks; use postgres 3.4 or pg',
    'final',
    undefined,
  );
}

function keepBetweenTransactions({ reserved }: PostgresJsConnection, keep: boolean): boolean {
  if (typeof reserved !== 'function') return false;
  reserved.release = keep;
  return true;
}
