import { openDatabase } from '../sql/clients/open-database.ts';
import { withPostgresLocks } from '../sql/native/with-locks.ts';
import type { PostgresSynchronizers } from './index.ts';
import { openPostgres } from './open-postgres.ts';
import { checkPostgresOptions, type PostgresSettings } from './postgres-options.ts';

/** Opens connections of our own, which go when the engine object is closed. */
export async function connectPostgres(
  url: string,
  options: PostgresSettings = {},
): Promise<PostgresSynchronizers> {
  // Before anything is opened that would have to be closed again.
  checkPostgresOptions(options);
  const sql = await openDatabase('postgres', url);
  try {
    return withPostgresLocks(openPostgres(sql, options), options);
  } catch (error) {
    await sql.close();
    throw error;
  }
}
