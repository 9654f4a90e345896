import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import { openDatabase } from '../sql/clients/open-database.ts';
import { parseSqlAddress } from '../sql/sql-address.ts';
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
  const { poolSize: _, ...given } = options;
  checkPostgresOptions(given);
  const address = parseSqlAddress('postgres', url);
  const { poolSize, ...settings } = settingsOverAddress(address.settings, options);
  const { commandTimeoutMs } = checkedSqlSettings(settings, 'postgres');
  const sql = await openDatabase('postgres', address.url, {
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
