import { systemClock } from '../../../../core/time/clock.ts';
import type { Clock } from '../../../../spi/clock.ts';
import type { SqlClient, SqlResult, SqlUnlisten, SqlValue } from '../../sql-client.ts';
import { sendCancelRequest } from '../cancel-request.ts';
import { LendingClient } from '../lending/lending-client.ts';
import type { LentConnection } from '../lending/lent-connection.ts';
import { onBroken } from '../lending/on-broken.ts';
import type { PgConnection, PgPool, PgResult } from './pg-shapes.ts';
import { sizeOfPool } from '../pool-settings.ts';
import { postgresError } from '../errors/postgres-failure.ts';
import { postgresParameter, readPostgresValue } from '../values/postgres-values.ts';
import { SharedListening } from '../lending/shared-listening.ts';
import { isPreparationError, preparedName } from '../prepared-names.ts';

/** Overrides the user's settings for reading types. */
const types = { getTypeParser: (type: number) => (text: string) => readPostgresValue(type, text) };

/** Whether statements are prepared; turned off once preparing has failed. */
interface Preparing {
  on: boolean;
}

/** Statements over a `Pool` of pg. */
export function pgClient(
  pool: PgPool,
  { prepare = true, clock = systemClock }: PgClientOptions = {},
): SqlClient {
  const preparing = { on: prepare };
  const statements = new LendingClient({
    lend: async () => lentConnection(await pool.connect(), preparing),
    error: postgresError,
    poolSize: sizeOfPool(pool.options?.max),
  });
  const listening = listeningOf(pool, statements, clock);
  const ends = new Set<SqlUnlisten>();
  return {
    atOnce: statements.atOnce,
    query: statements.query.bind(statements),
    abandonAfter: (ms) => statements.abandonAfter(ms),
    failure: statements.failure,
    openSession: statements.openSession,
    // The only connection of a pool would listen, and none would be left for statements.
    listen:
      pool.options?.max === 1
        ? undefined
        : (channel, heard) => remember(ends, listening.listen(channel, heard)),
    close: async () => {
      for (const unlisten of ends) unlisten();
      await listening.settle();
    },
  };
}

const listenings = new WeakMap<PgPool, SharedListening>();

function listeningOf(pool: PgPool, { openSession: session }: LendingClient, clock: Clock): SharedListening {
  const known = listenings.get(pool) ?? new SharedListening(session, clock);
  listenings.set(pool, known);
  return known;
}

async function remember(ends: Set<SqlUnlisten>, listening: Promise<SqlUnlisten>): Promise<SqlUnlisten> {
  const unlisten = await listening;
  ends.add(unlisten);
  return () => {
    ends.delete(unlisten);
    unlisten();
  };
}

export interface PgClientOptions {
  /** Whether to prepare statements on the server: by default, as long as that works. */
  readonly prepare?: boolean;
  readonly clock?: Clock;
}

function lentConnection(connection: PgConnection, preparing: Preparing): LentConnection {
  let underWay = 0;
  return {
    native: connection,
    serverPid: connection.processID ?? undefined,
    query: async (text, values, often) => {
      underWay++;
      try {
        return await query(connection, preparing, text, values, often);
      } finally {
        underWay--;
      }
    },
    onBroken: (told) => onBroken(connection, told),
    onNotice: (told) => {
      const passOn = (notice: { readonly channel: string; readonly payload?: string }): void =>
        told(notice.channel, notice.payload ?? '');
      connection.on('notification', passOn);
      return () => void connection.off('notification', passOn);
    },
    end: (how) => {
      if (how === 'discard' && underWay > 0) cancelStatement(connection);
      connection.release(how === 'discard');
    },
  };
}

function cancelStatement({ host, port, processID, secretKey }: PgConnection): void {
  const isKnown =
    typeof processID === 'number' && (typeof secretKey === 'number' || secretKey instanceof Uint8Array);
  if (host === undefined || port === undefined || !isKnown) return;
  const address = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
  sendCancelRequest(address, { pid: processID, secret: secretKey });
}

async function query(
  connection: PgConnection,
  preparing: Preparing,
  text: string,
  values: readonly SqlValue[],
  often: boolean,
): Promise<SqlResult> {
  // Without parameters and name pg uses the simple protocol, which takes several statements at once.
  const name = often && preparing.on && values.length > 0 ? preparedName(text) : undefined;
  const parameters = values.length === 0 ? {} : { values: values.map(postgresParameter) };
  const plain = { text, ...parameters, rowMode: 'array', types } as const;
  try {
    return resultOf(await connection.query(name === undefined ? plain : { ...plain, name }));
  } catch (error) {
    const known = postgresError(error);
    if (name === undefined || !isPreparationError(known.code)) throw known;
    preparing.on = false;
    return query(connection, preparing, text, values, false);
  }
}

/** The result of the last statement. */
function resultOf(result: PgResult | readonly PgResult[]): SqlResult {
  const last = Array.isArray(result) ? (result.at(-1) as PgResult) : (result as PgResult);
  return { rows: last.rows, changed: last.rowCount ?? 0 };
}
