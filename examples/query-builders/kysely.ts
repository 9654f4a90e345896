import { CompiledQuery, type Kysely } from 'kysely';
import { mysql, type MysqlSettings, type MysqlSynchronizers } from 'holdfast/mysql';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';

export interface Database {
  readonly accounts: { readonly id: number; readonly balance: number; readonly fence: bigint };
}

/**
 * Locks through Kysely itself. Pass the pool of its dialect instead where you have it: a query function carries
 * statements alone, so that waiters poll the rows.
 */
export function locksOverKysely<DB>(db: Kysely<DB>, settings: PostgresSettings = {}): PostgresSynchronizers {
  const pool = (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values));
  return postgres({ ...settings, pool });
}

/** The same on MySQL or MariaDB. */
export function mysqlLocksOverKysely<DB>(db: Kysely<DB>, settings: MysqlSettings = {}): MysqlSynchronizers {
  const pool = (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values));
  return mysql({ ...settings, pool });
}

/** Changes an account in a transaction of Kysely. Returns false if a holder with a larger fence has written before. */
export function addFenced(db: Kysely<Database>, id: number, amount: number, fence: bigint): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('accounts')
      .set((row) => ({ balance: row('balance', '+', amount), fence }))
      .where('id', '=', id)
      .where('fence', '<=', fence)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  });
}
