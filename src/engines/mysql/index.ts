import type { Synchronizers } from '../../spi/synchronizers.ts';
import { mysqlClientFor } from '../sql/clients/recognise.ts';
import type { MysqlLocks } from '../sql/native/native-locks.ts';
import { withMysqlLocks } from '../sql/native/with-locks.ts';
import type { SqlExtras } from '../sql/open-sql-engine.ts';
import type { MysqlOptions } from './mysql-options.ts';
import { type mysqlTraits, openMysql } from './open-mysql.ts';

export type * from '../../spi/engine/inspector.ts';
export type { MysqlLocks, NativeLocks } from '../sql/native/native-locks.ts';
export type { TableLockFactory, TableLockOptions } from '../sql/native/table-locks/table-locks.ts';
export type { TransactionHold, TransactionLock } from '../sql/native/row-locks/transaction-lock.ts';
export type { SqlExtras } from '../sql/open-sql-engine.ts';
export { schemaSql, type SchemaSqlOptions } from '../sql/cells/schema-sql.ts';
export type { MysqlConnectSettings, MysqlOptions, MysqlSettings } from './mysql-options.ts';

/** What `mysql()` returns: all nine synchronizers, an inspector, and the database's own locks. */
export type MysqlSynchronizers = Synchronizers &
  SqlExtras &
  MysqlLocks & { readonly traits: typeof mysqlTraits };

/** All synchronizers on your MariaDB or MySQL, in two small tables that are created at first use. */
export function mysql(options: MysqlOptions): MysqlSynchronizers {
  return withMysqlLocks(openMysql(mysqlClientFor(options?.pool), options), options);
}
