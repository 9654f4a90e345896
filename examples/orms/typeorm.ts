import type { Pool as MysqlPool } from 'mysql2';
import type { Pool } from 'pg';
import { DataSource, EntitySchema, LessThanOrEqual } from 'typeorm';
import { mysql, type MysqlSettings, type MysqlSynchronizers } from 'holdfast/mysql';
import { postgres, type PostgresSettings, type PostgresSynchronizers } from 'holdfast/postgres';

interface Account {
  readonly id: number;
  readonly balance: number;
  readonly fence: string;
}

const accounts = new EntitySchema<Account>({
  name: 'accounts',
  columns: { id: { type: Number, primary: true }, balance: { type: Number }, fence: { type: 'bigint' } },
});

/** The pool exists once the DataSource is initialized. */
export function openTypeorm(type: 'postgres' | 'mysql', url: string): Promise<DataSource> {
  return new DataSource({ type, url, entities: [accounts] }).initialize();
}

/** Locks over the pool of a DataSource for PostgreSQL: a release wakes waiters by a notification. */
export function locksOverTypeorm(
  { driver }: DataSource,
  settings: PostgresSettings = {},
): PostgresSynchronizers {
  const { master } = driver as unknown as { readonly master: Pool };
  return postgres({ ...settings, pool: master });
}

/** The same on MySQL or MariaDB. */
export function mysqlLocksOverTypeorm(
  { driver }: DataSource,
  settings: MysqlSettings = {},
): MysqlSynchronizers {
  const { pool } = driver as unknown as { readonly pool: MysqlPool };
  return mysql({ ...settings, pool });
}

/** Changes an account in a transaction of TypeORM. Returns false if a holder with a larger fence has written before. */
export function addFenced(
  dataSource: DataSource,
  id: number,
  amount: number,
  fence: bigint,
): Promise<boolean> {
  return dataSource.transaction(async (manager) => {
    const { affected } = await manager
      .createQueryBuilder()
      .update(accounts)
      .set({ balance: () => 'balance + :amount', fence: String(fence) })
      .where({ id, fence: LessThanOrEqual(String(fence)) })
      .setParameter('amount', amount)
      .execute();
    return affected === 1;
  });
}
