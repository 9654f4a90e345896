import { openDatabase } from '../sql/clients/open-database.ts';
import { withMysqlLocks } from '../sql/native/with-locks.ts';
import type { MysqlSynchronizers } from './index.ts';
import { checkMysqlOptions, type MysqlSettings } from './mysql-options.ts';
import { openMysql } from './open-mysql.ts';

/** Opens connections of our own, which go when the engine object is closed. */
export async function connectMysql(url: string, options: MysqlSettings = {}): Promise<MysqlSynchronizers> {
  // Before anything is opened that would have to be closed again.
  checkMysqlOptions(options);
  const sql = await openDatabase('mysql', url);
  try {
    return withMysqlLocks(openMysql(sql, options), options);
  } catch (error) {
    await sql.close();
    throw error;
  }
}
