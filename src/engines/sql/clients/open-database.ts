import { inTime, systemClock } from '../../../kernels/surroundings.ts';
import { argumentTypeError, EngineError } from '../../../spi/errors.ts';
import type { SqlClient } from '../sql-client.ts';
import { mariadbClient, type MariadbPool } from './mariadb-client.ts';
import { mysql2Client, type Mysql2Pool } from './mysql2-client.ts';
import { pgClient } from './pg-client.ts';
import type { PgPool } from './pg-shapes.ts';
import { postgresJsClient } from './postgres-js-client.ts';
import type { PostgresJs } from './postgres-js-shapes.ts';

/** So long a server may take to answer for the first time. */
const PATIENCE_MS = 5_000;

type Engine = 'postgres' | 'mysql';

/** One client's package: how it is imported, and what it makes of an address. */
interface Package {
  readonly name: string;
  readonly load: () => Promise<object>;
  readonly open: (module: never, url: string) => { client: SqlClient; end: () => Promise<unknown> };
}

interface Emitter {
  on(event: 'error', told: () => void): unknown;
}

const packages: Readonly<Record<Engine, readonly Package[]>> = {
  postgres: [
    {
      name: 'pg',
      load: () => import('pg'),
      open: (module: { default: { Pool: new (options: object) => PgPool & Ended & Emitter } }, url) => {
        const pool = new module.default.Pool({ connectionString: url, keepAlive: true });
        // A connection that breaks while nobody uses it is replaced by the next one.
        pool.on('error', () => undefined);
        return { client: pgClient(pool), end: () => pool.end() };
      },
    },
    {
      name: 'postgres',
      load: () => import('postgres'),
      open: (module: { default: (url: string, options: object) => PostgresJs & Ended }, url) => {
        // Its look at the types of arrays rejects without a handler if the connection breaks meanwhile, which ends a process.
        // We read every value as it came, and need no types.
        const sql = module.default(url, { onnotice: () => undefined, fetch_types: false });
        return { client: postgresJsClient(sql), end: () => sql.end({ timeout: 1 }) };
      },
    },
  ],
  mysql: [
    {
      name: 'mysql2',
      load: () => import('mysql2/promise'),
      open: (module: { createPool: (options: object) => Mysql2Pool & Ended }, url) => {
        const pool = module.createPool({ uri: url, enableKeepAlive: true });
        return { client: mysql2Client(pool), end: () => pool.end() };
      },
    },
    {
      name: 'mariadb',
      load: () => import('mariadb'),
      open: (module: { createPool: (url: string) => MariadbPool & Ended }, url) => {
        const pool = module.createPool(url.replace(/^mysql:/, 'mariadb:'));
        return { client: mariadbClient(pool), end: () => pool.end() };
      },
    },
  ],
};

interface Ended {
  end(options?: object): Promise<unknown>;
}

/** Opens a pool of our own by an address, over the first client that is installed; `close` ends it. */
export async function openDatabase(
  engine: Engine,
  url: string,
  candidates: readonly string[] = packages[engine].map(({ name }) => name),
): Promise<SqlClient> {
  const where = placeOf(engine, url);
  const { found, module } = await load(engine, candidates);
  const { client, end } = found.open(module as never, url);
  const close = async (): Promise<void> => {
    await client.close();
    await end();
  };
  try {
    await inTime(systemClock, client.query('select 1', []), PATIENCE_MS);
  } catch (error) {
    void close().catch(() => undefined);
    throw unreachable(engine, where, error, client);
  }
  return { ...withAll(client), close };
}

/** The methods of a class are not among the fields that `...` copies. */
function withAll(client: SqlClient): SqlClient {
  return {
    atOnce: client.atOnce,
    query: (text, values) => client.query(text, values),
    abandonAfter: (ms) => client.abandonAfter?.(ms),
    failure: (error) => client.failure(error),
    session: client.session,
    listen: client.listen,
    close: () => client.close(),
  };
}

/** What may be said of an address: it has a password in it. */
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
    const module = await found.load().catch(unlessMissing);
    if (module !== undefined) return { found, module };
  }
  const install = candidates.map((name) => `\`npm install ${name}\``).join(' or ');
  throw new EngineError(
    `${engine}: no client is installed. Install one: ${install}.`,
    { resource: 'connect', engine },
    { retryable: false },
  );
}

function unlessMissing(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return undefined;
  throw error;
}

function unreachable(engine: Engine, where: string, error: unknown, client: SqlClient): EngineError {
  const message = error instanceof Error ? error.message : 'no reason was given';
  const failure = client.failure(error);
  return new EngineError(
    `${engine}: cannot connect to ${where}: ${message}`,
    { resource: 'connect', engine },
    { cause: error, retryable: failure === 'unreachable' || failure === 'unknown' },
  );
}
