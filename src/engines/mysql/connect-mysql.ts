import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import { openDatabase } from '../sql/clients/open-database.ts';
import { parseSqlAddress } from '../sql/sql-address.ts';
import { checkedSqlSettings } from '../sql/sql-options.ts';
import { withMysqlLocks } from '../sql/native/with-locks.ts';
import type { MysqlSynchronizers } from './index.ts';
import { checkMysqlOptions, type MysqlConnectSettings } from './mysql-options.ts';
import { openMysql } from './open-mysql.ts';

/** Opens a pool of our own, which closes with the engine object. */
export async function connectMysql(
  url: string,
  options: MysqlConnectSettings = {},
): Promise<MysqlSynchronizers> {
  // Checked before anything is opened that would have to be closed again.
  const { poolSize: _, ...given } = options;
  checkMysqlOptions(given);
  const address = parseSqlAddress('mysql', url);
  const { poolSize, ...settings } = settingsOverAddress(address.settings, options);
  const { commandTimeoutMs } = checkedSqlSettings(settings, 'mysql');
  const sql = await openDatabase('mysql', address.url, {
    ...(poolSize !== undefined && { poolSize }),
    commandTimeoutMs,
  });
  try {
    return withMysqlLocks(openMysql(sql, settings), settings);
  } catch (error) {
    await sql.close();
    throw error;
  }
}
