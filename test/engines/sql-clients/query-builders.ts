import { drizzle } from 'drizzle-orm/node-postgres';
import knex from 'knex';
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect } from 'kysely';
import { createPool as createCallbackPool } from 'mysql2';
import type pg from 'pg';
import { mysqlClientFor, postgresClientFor } from '../../../src/engines/sql/clients/recognise.ts';
import { opened, type Opening } from './open-client.ts';
import { pgPool } from './postgres-pools.ts';

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
