import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool as createMariadbPool } from 'mariadb';
import { createPool as createCallbackPool } from 'mysql2';
import { createPool as createMysql2Pool } from 'mysql2/promise';
import pg from 'pg';
import postgres from 'postgres';
import { mysqlClientFor, postgresClientFor } from '../../../src/engines/sql/clients/recognise.ts';
import type { SqlClient } from '../../../src/engines/sql/sql-client.ts';

/** A client over a pool that users would make like this, and how it ends. */
export interface OpenClient {
  readonly client: SqlClient;
  /** What the user has: to make another client of. */
  readonly pool: unknown;
  readonly end: () => Promise<void>;
}

export type Opening = (url: string, most?: number) => OpenClient;

function opened(pool: unknown, client: SqlClient, endPool: () => Promise<unknown>): OpenClient {
  return {
    client,
    pool,
    end: async () => {
      await client.close();
      await endPool();
    },
  };
}

function pgPool(url: string, max = 5): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => undefined);
  return pool;
}

export const postgresPools: Readonly<Record<string, Opening>> = {
  pg: (url, most) => {
    const pool = pgPool(url, most);
    return opened(pool, postgresClientFor(pool), () => pool.end());
  },
  'postgres.js': (url, max = 5) => {
    const sql = postgres(url, { max, onnotice: () => undefined });
    return opened(sql, postgresClientFor(sql), () => sql.end({ timeout: 1 }));
  },
};

export const mysqlPools: Readonly<Record<string, Opening>> = {
  mysql2: (uri, connectionLimit = 5) => {
    const pool = createMysql2Pool({ uri, connectionLimit });
    return opened(pool, mysqlClientFor(pool), () => pool.end());
  },
  'mysql2 with callbacks': (uri, connectionLimit = 5) => {
    const pool = createCallbackPool({ uri, connectionLimit });
    return opened(pool, mysqlClientFor(pool), () => pool.promise().end());
  },
  mariadb: (url, most = 5) => {
    const pool = createMariadbPool(`${url.replace(/^mysql:/, 'mariadb:')}?connectionLimit=${most}`);
    return opened(pool, mysqlClientFor(pool), () => pool.end());
  },
};

/** Only statements: whatever users of query builders have. */
export const postgresFunctions: Readonly<Record<string, Opening>> = {
  kysely: (url) => {
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: pgPool(url) }) });
    const query = (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values));
    return opened(query, postgresClientFor(query), () => db.destroy());
  },
  knex: (url) => {
    const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 5 } });
    const query = async (text: string, values: unknown[]) => {
      const connection = (await db.client.acquireConnection()) as pg.Client;
      try {
        return await connection.query(text, values);
      } finally {
        await db.client.releaseConnection(connection);
      }
    };
    return opened(query, postgresClientFor(query), () => db.destroy());
  },
  drizzle: (url) => {
    const db = drizzle({ client: pgPool(url) });
    const query = (text: string, values: unknown[]) => db.$client.query(text, values);
    return opened(query, postgresClientFor(query), () => db.$client.end());
  },
};

export const mysqlFunctions: Readonly<Record<string, Opening>> = {
  kysely: (uri) => {
    const pool = createCallbackPool({ uri });
    const db = new Kysely<object>({ dialect: new MysqlDialect({ pool }) });
    const query = (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values));
    return opened(query, mysqlClientFor(query), () => db.destroy());
  },
};
