import { systemSurroundings } from '../../../src/engines/sql/sql-surroundings.ts';
import { mysql, type MysqlOptions } from '../../../src/engines/mysql/index.ts';
import { openMysql } from '../../../src/engines/mysql/open-mysql.ts';
import { postgres, type PostgresOptions } from '../../../src/engines/postgres/index.ts';
import { openPostgres } from '../../../src/engines/postgres/open-postgres.ts';
import type { SqlInside } from '../../../src/engines/sql/open-sql-engine.ts';
import type { SqlClient, SqlValue } from '../../../src/engines/sql/sql-client.ts';
import type { PollSetting, SchemaSetting, SqlSettings } from '../../../src/engines/sql/sql-options.ts';
import type { Synchronizers } from '../../../src/index.ts';
import type { Inspector } from '../../../src/spi/engine/inspector.ts';
import { mysqlPools } from '../../engines/sql-clients/mysql-pools.ts';
import type { OpenClient, PoolOfUser } from '../../engines/sql-clients/open-client.ts';
import { postgresPools } from '../../engines/sql-clients/postgres-pools.ts';
import { startMariadb } from '../../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../../fixtures/sql/postgres-server.ts';

type Server = Awaited<ReturnType<typeof startPostgres>> | Awaited<ReturnType<typeof startMariadb>>;

export interface Opening extends SqlSettings, SchemaSetting, PollSetting {
  readonly client?: string;
  /** How many connections its pool has. */
  readonly most?: number;
  /** Another clock of the database. */
  readonly now?: string;
  /** Something between the engine and its client. */
  readonly through?: (client: SqlClient) => SqlClient;
}

export interface OpenedLocks extends Synchronizers, AsyncDisposable {
  readonly inspector: Inspector;
  readonly inside: SqlInside;
  readonly pool: OpenClient;
  /** Closes the engine and leaves its pool to the caller, as a user's pool is. */
  readonly closeLocks: () => Promise<void>;
}

/** What the two databases have in common, and what they do each in its own way. */
export interface Database {
  readonly engine: 'postgres' | 'mysql';
  readonly program: 'postgres' | 'mariadb';
  readonly clients: readonly string[];
  readonly start: (settings?: Readonly<Record<string, string>>) => Promise<Server>;
  /** All that goes by the name of an engine object, over a pool of its own. */
  readonly open: (url: string, opening?: Opening) => OpenedLocks;
  /** As users do it, over a pool that stays theirs. */
  readonly openOver: (pool: PoolOfUser, settings?: SqlSettings & PollSetting) => Synchronizers;
  /** Ends all connections but the one it is asked on, from within the server. */
  readonly killOthers: (sql: SqlClient) => Promise<void>;
  /** A clock that shows as much more as the table `clock` says, in milliseconds; the expression for it. */
  readonly movedClock: string;
  readonly quote: (name: string) => string;
}

const postgresql: Database = {
  engine: 'postgres',
  program: 'postgres',
  clients: ['pg', 'postgres.js'],
  start: (settings = {}) => startPostgres({ settings }),
  open: (url, opening = {}) => opened('postgres', url, opening),
  openOver: (pool, settings) => postgres({ pool: pool as PostgresOptions['pool'], ...settings }),
  killOthers: async (sql) => {
    await sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      [],
    );
  },
  movedClock: `((extract(epoch from clock_timestamp()) * 1000)::float8 + (select ms from clock))`,
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
};

const mariadb: Database = {
  engine: 'mysql',
  program: 'mariadb',
  clients: ['mysql2', 'mariadb'],
  start: (settings = {}) => startMariadb({ settings }),
  open: (url, opening = {}) => opened('mysql', url, opening),
  openOver: (pool, settings) => mysql({ pool: pool as MysqlOptions['pool'], ...settings }),
  killOthers: async (sql) => {
    const { rows } = await sql.query(
      `select id from information_schema.processlist where user = substring_index(user(), '@', 1) and id <> connection_id()`,
      [],
    );
    // One that has ended meanwhile is as good as killed.
    for (const [id] of rows) await sql.query(`kill ${Number(id)}`, []).catch(() => undefined);
  },
  movedClock: `(timestampdiff(microsecond, timestamp'1970-01-01 00:00:00', utc_timestamp(6)) + (select cast(ms * 1000 as signed) from clock))`,
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
};

export const databases = { PostgreSQL: postgresql, MariaDB: mariadb } as const;

export const pools = { postgres: postgresPools, mysql: mysqlPools } as const;

function opened(engine: Database['engine'], url: string, opening: Opening): OpenedLocks {
  const { client = engine === 'postgres' ? 'pg' : 'mysql2', most = 4, now, through, ...settings } = opening;
  const pool = pools[engine][client]!(url, most);
  const sql = through === undefined ? pool.client : through(pool.client);
  const open = engine === 'postgres' ? openPostgres : openMysql;
  const locks = open(sql, settings, { ...systemSurroundings, ...(now !== undefined && { now }) });
  const close = async (): Promise<void> => {
    await locks.close();
    await pool.end();
  };
  return { ...locks, pool, close, closeLocks: () => locks.close(), [Symbol.asyncDispose]: close };
}

/** The first value of the first row. */
export async function valueOf(
  sql: SqlClient,
  text: string,
  values: readonly SqlValue[] = [],
): Promise<SqlValue> {
  return (await sql.query(text, values)).rows[0]?.[0] ?? null;
}
