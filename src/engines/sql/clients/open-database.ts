import { inTime, NoAnswerError } from '../../../core/async/in-time.ts';
import { importIfInstalled } from '../../../core/import-package.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { argumentTypeError, EngineError } from '../../../spi/errors.ts';
import { parseSqlAddress } from '../sql-address.ts';
import type { SqlClient } from '../sql-client.ts';
import { mariadbClient, type MariadbPool } from './mariadb/mariadb-client.ts';
import { mysql2Client, type Mysql2Pool } from './mysql2/mysql2-client.ts';
import { pgClient } from './pg/pg-client.ts';
import { checkedPoolSize, type PoolSettings, type PoolSizeSetting } from './pool-settings.ts';
import type { PgPool } from './pg/pg-shapes.ts';
import { postgresJsClient } from './postgres-js/postgres-js-client.ts';
import type { PostgresJs } from './postgres-js/postgres-js-shapes.ts';
import { failureOf } from './errors/sql-error.ts';
import { isError } from '../../../spi/is-error.ts';

/** How long a server may take to answer for the first time. */
const PATIENCE_MS = 5_000;
/** The name of our connections in the server: `application_name` in PostgreSQL, `program_name` in MySQL. */
const APPLICATION = 'holdfast';
const UNSUPPORTED = /unsupported startup parameter/;

type Engine = 'postgres' | 'mysql';

/** One client's package, and how to open a pool by an address. */
interface Package {
  readonly name: string;
  /** What to import of it, if that is not the package itself. */
  readonly module?: string;
  readonly open: (
    module: never,
    url: string,
    settings: PoolSettings,
  ) => { client: SqlClient; end: () => Promise<unknown> };
}

interface ErrorEmitter {
  on(event: 'error', told: () => void): unknown;
}

const packages: Readonly<Record<Engine, readonly Package[]>> = {
  postgres: [
    {
      name: 'pg',
      open: (
        module: { default: { Pool: new (options: object) => PgPool & EndedStream & ErrorEmitter } },
        url,
        { poolSize, limitMs },
      ) => {
        const pool = new module.default.Pool({
          connectionString: url,
          keepAlive: true,
          application_name: APPLICATION,
          ...(limitMs !== undefined && { statement_timeout: limitMs }),
          ...(poolSize !== undefined && { max: poolSize }),
        });
        // The pool replaces a connection that breaks while it is idle.
        pool.on('error', () => undefined);
        return { client: pgClient(pool), end: () => pool.end() };
      },
    },
    {
      name: 'postgres',
      open: (
        module: { default: (url: string, options: object) => PostgresJs & EndedStream },
        url,
        { poolSize, limitMs },
      ) => {
        const connection = {
          application_name: APPLICATION,
          ...(limitMs !== undefined && { statement_timeout: limitMs }),
        };
        // postgres.js looks up array types; if the connection breaks meanwhile, that rejects without a handler and ends
        // the process. We read every value as it arrives, and need no types.
        const sql = module.default(url, {
          onnotice: () => undefined,
          fetch_types: false,
          connection,
          ...(poolSize !== undefined && { max: poolSize }),
        });
        return { client: postgresJsClient(sql), end: () => sql.end({ timeout: 1 }) };
      },
    },
  ],
  mysql: [
    {
      name: 'mysql2',
      module: 'mysql2/promise',
      open: (module: { createPool: (options: object) => Mysql2Pool & EndedStream }, url, { poolSize }) => {
        const pool = module.createPool({
          uri: url,
          enableKeepAlive: true,
          connectAttributes: { program_name: APPLICATION },
          ...(poolSize !== undefined && { connectionLimit: poolSize }),
        });
        return { client: mysql2Client(pool), end: () => pool.end() };
      },
    },
    {
      name: 'mariadb',
      open: (module: { createPool: (url: string) => MariadbPool & EndedStream }, url, { poolSize }) => {
        const address = new URL(url.replace(/^mysql:/, 'mariadb:'));
        if (!address.searchParams.has('connectAttributes'))
          address.searchParams.set('connectAttributes', JSON.stringify({ program_name: APPLICATION }));
        if (poolSize !== undefined) address.searchParams.set('connectionLimit', String(poolSize));
        const pool = module.createPool(address.href);
        return { client: mariadbClient(pool, poolSize), end: () => pool.end() };
      },
    },
  ],
};

interface EndedStream {
  end(options?: object): Promise<unknown>;
}

/** How to open a pool of our own, where it differs from the usual. */
export interface OpeningSettings extends PoolSizeSetting {
  /** The packages to try, if they are installed. */
  readonly candidates?: readonly string[];
  /** The time limit of a command: the server ends a statement that takes twice as long. */
  readonly commandTimeoutMs?: number | undefined;
}

/** Opens a pool of our own by an address, with the first client that is installed; `close` ends it. */
export async function openDatabase(
  engine: Engine,
  url: string,
  { candidates, poolSize: given, commandTimeoutMs }: OpeningSettings = {},
): Promise<SqlClient> {
  const where = placeOf(engine, url);
  const { url: address, settings } = parseSqlAddress(engine, url);
  const poolSize = checkedPoolSize(engine, given ?? settings.poolSize);
  const { found, module } = await load(engine, candidates ?? packages[engine].map(({ name }) => name));
  const limitMs = commandTimeoutMs === undefined ? undefined : 2 * commandTimeoutMs;
  const open = (limit: number | undefined) =>
    checkFirstAnswer(found.open(module as never, address, { poolSize, limitMs: limit }), limit !== undefined);
  try {
    return await open(limitMs).catch((error: unknown) => {
      // PgBouncer refuses settings that it does not know, unless it is configured to ignore them.
      if (limitMs === undefined || !UNSUPPORTED.test(String(error))) throw error;
      return open(undefined);
    });
  } catch (error) {
    throw unreachable(engine, where, error);
  }
}

async function checkFirstAnswer(
  { client, end }: ReturnType<Package['open']>,
  limitsStatements: boolean,
): Promise<SqlClient> {
  const close = async (): Promise<void> => {
    await client.close();
    await end();
  };
  try {
    await inTime(systemClock, client.query('select 1', []), PATIENCE_MS);
  } catch (error) {
    void close().catch(() => undefined);
    throw error;
  }
  return { ...methodsOf(client), limitsStatements, close };
}

/** `...` would not copy the methods of a class. */
function methodsOf(client: SqlClient): SqlClient {
  return {
    atOnce: client.atOnce,
    query: (text, values, sending) => client.query(text, values, sending),
    abandonAfter: (ms) => client.abandonAfter?.(ms),
    failure: (error) => client.failure(error),
    openSession: client.openSession,
    listen: client.listen,
    close: () => client.close(),
  };
}

/** The part of an address that may be shown: not its password. */
function placeOf(engine: Engine, url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && parsed.hostname !== '') return parsed.host;
  throw argumentTypeError(`connect: the address must be ${engine}://user:password@host:port/database.`, {
    resource: 'connect',
    engine,
  });
}

async function load(engine: Engine, candidates: readonly string[]) {
  for (const found of packages[engine].filter(({ name }) => candidates.includes(name))) {
    const module = await importIfInstalled(found.module ?? found.name);
    if (module !== undefined) return { found, module };
  }
  const install = candidates.map((name) => `\`npm install ${name}\``).join(' or ');
  throw new EngineError(
    `${engine}: no client is installed. Install one: ${install}.`,
    { resource: 'connect', engine },
    { retryable: false },
  );
}

function unreachable(engine: Engine, where: string, error: unknown): EngineError {
  const message = isError(error) ? error.message : 'no reason was given';
  const failure = error instanceof NoAnswerError ? 'unknown' : failureOf(error);
  return new EngineError(
    `${engine}: cannot connect to ${where}: ${message}`,
    { resource: 'connect', engine },
    { cause: error, retryable: failure === 'unreachable' || failure === 'unknown' },
  );
}
