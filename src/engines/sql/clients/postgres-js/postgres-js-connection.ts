import { type BackendKey, sendCancelRequest } from '../cancel-request.ts';
import type { LentConnection } from '../lending/lent-connection.ts';
import { postgresError } from '../errors/postgres-failure.ts';
import { postgresJsQuery } from './postgres-js-query.ts';
import type { PostgresJs, PostgresJsConnection, PostgresJsStatements } from './postgres-js-shapes.ts';
import { SqlError } from '../errors/sql-error.ts';

/**
 * A connection of postgres.js for ourselves: that of a transaction which we end at once, whose function ends when the
 * connection goes back. It has a `reserve` for this, but forgets those who wait for one when a connection closes, and
 * goes on using the same handle over another connection when the first has broken, telling nobody: whoever holds a lock
 * by the first would never know.
 */
export function lendPostgresJs(sql: PostgresJs): Promise<LentConnection> {
  return new Promise((resolve, reject) => {
    const over = sql.begin(
      (own) =>
        new Promise<void>((giveBack, fail) => {
          takeConnection(sql, own, giveBack).then(resolve, fail);
        }),
    );
    // Once it is lent this says nothing new: that the connection has closed is told by the connection.
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

  /** It ends every transaction by itself, ours as well: if there were none, the server would complain of it. */
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
      // A closed one is back in the pool and may be somebody else's by now: our function never ends.
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

/** At each address it may have connected to: only the right server knows the secret. */
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

/** Statements hand the connection they go by to whoever asks. */
async function findConnection(own: PostgresJsStatements): Promise<Behind> {
  let connection: PostgresJsConnection | undefined;
  const onexecute = (found: PostgresJsConnection): true => {
    // Before its answer comes: with the end of the transaction the connection would be anybody's.
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
