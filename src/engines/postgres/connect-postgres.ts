import { openDatabase } from '../sql/clients/open-database.ts';
import { checkedSqlSettings } from '../sql/sql-options.ts';
import { withPostgresLocks } from '../sql/native/with-locks.ts';
import type { PostgresSynchronizers } from './index.ts';
import { openPostgres } from './open-postgres.ts';
import { checkPostgresOptions, type PostgresConnectSettings } from './postgres-options.ts';

/** Opens a pool of our own, which closes with the engine object. */
export async function connectPostgres(
  url: string,
  options: PostgresConnectSettings = {},
): Promise<PostgresSynchronizers> {
  // Checked before anything is opened that would have to be closed again.
  const { poolSize, ...settings } = options;
  checkPostgresOptions(settings);
  const { commandTimeoutMs } = checkedSqlSettings(settings, 'postgres');
  const sql = await openDatabase('postgres', url, {
    ...(poolSize !== undefined && { poolSize }),
    commandTimeoutMs,
  });
  try {
    return withPostgresLocks(openPostgres(sql, settings), settings);
  } catch (error) {
    await sql.close();
    throw error;
  }
}
