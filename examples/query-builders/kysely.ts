import { CompiledQuery, type Kysely } from 'kysely';
import { mysql, type MysqlSynchronizers } from 'holdfast/mysql';
import { postgres, type PostgresSynchronizers } from 'holdfast/postgres';

/**
 * Locks in the database that Kysely talks to. A query function carries statements only: it notifies no client, so
 * those who wait ask from time to time.
 */
export function locksOverKysely<DB>(db: Kysely<DB>): PostgresSynchronizers {
  return postgres({
    pool: (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values)),
  });
}

/** The same on MySQL or MariaDB. */
export function mysqlLocksOverKysely<DB>(db: Kysely<DB>): MysqlSynchronizers {
  return mysql({
    pool: (text: string, values: unknown[]) => db.executeQuery(CompiledQuery.raw(text, values)),
  });
}
