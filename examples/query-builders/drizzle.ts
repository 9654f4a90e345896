import { and, eq, lte, sql } from 'drizzle-orm';
import type { MySql2Database } from 'drizzle-orm/mysql2';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { bigint, integer, pgTable } from 'drizzle-orm/pg-core';
import type { Pool as MysqlPool } from 'mysql2/promise';
import type { Pool } from 'pg';
import { mysql, type MysqlSettings, type MysqlSynchronizers } from 'holdfast/mysql';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';

const accounts = pgTable('accounts', {
  id: integer().primaryKey(),
  balance: integer().notNull(),
  fence: bigint({ mode: 'bigint' }).notNull(),
});

/** Locks over the client of Drizzle, which is the very pool of pg: a release wakes waiters by a notification. */
export function locksOverDrizzle<Schema extends Record<string, unknown>>(
  db: NodePgDatabase<Schema> & { readonly $client: Pool },
  settings: PostgresSettings = {},
): PostgresSynchronizers {
  return postgres({ ...settings, pool: db.$client });
}

/** The same on MySQL or MariaDB. */
export function mysqlLocksOverDrizzle<Schema extends Record<string, unknown>>(
  db: MySql2Database<Schema> & { readonly $client: MysqlPool },
  settings: MysqlSettings = {},
): MysqlSynchronizers {
  return mysql({ ...settings, pool: db.$client });
}

/** Changes an account in a transaction of Drizzle. Returns false if a holder with a larger fence has written before. */
export function addFenced(db: NodePgDatabase, id: number, amount: number, fence: bigint): Promise<boolean> {
  return db.transaction(async (transaction) => {
    const { rowCount } = await transaction
      .update(accounts)
      .set({ balance: sql`${accounts.balance} + ${amount}`, fence })
      .where(and(eq(accounts.id, id), lte(accounts.fence, fence)));
    return rowCount === 1;
  });
}
