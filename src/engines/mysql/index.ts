import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import { mysqlClientFor } from '../sql/clients/recognise.ts';
import type { MysqlLocks } from '../sql/native/native-locks.ts';
import { withMysqlLocks } from '../sql/native/with-locks.ts';
import type { SqlExtras } from '../sql/open-sql-engine.ts';
import { checkMysqlOptions, type MysqlOptions } from './mysql-options.ts';
import { type mysqlTraits, openMysql } from './open-mysql.ts';

export type * from '../../spi/engine/inspector.ts';
export type { MysqlLocks, NativeLocks } from '../sql/native/native-locks.ts';
export type { TableLockFactory, TableLockOptions } from '../sql/native/table-locks/table-locks.ts';
export type { TransactionHold, TransactionLock } from '../sql/native/row-locks/transaction-lock.ts';
export type { SqlExtras } from '../sql/open-sql-engine.ts';
export type { MariadbPoolLike, Mysql2PoolLike } from '../sql/clients/pools.ts';
export type { QueryFunction } from '../sql/clients/query-function-client.ts';
export { schemaSql, type SchemaSqlOptions } from '../sql/cells/schema-sql.ts';
export type { MysqlConnectSettings, MysqlOptions, MysqlSettings } from './mysql-options.ts';

/** What `mysql()` returns: all nine synchronizers, an inspector, and the database's own locks. */
export type MysqlSynchronizers = Synchronizers &
  SqlExtras &
  MysqlLocks & {
    /** What users can count on in this engine. */
    readonly traits: typeof mysqlTraits;
  };

const call = {
  engine: 'mysql',
  option: 'pool',
  what: 'your pool of mysql2 or mariadb or a query function',
  byAddress: "await connect('mysql://user@host/database')",
};

/** All synchronizers on your MariaDB or MySQL, in two small tables that are created at first use. */
export function mysql(options: MysqlOptions): MysqlSynchronizers {
  checkFactoryArgument(options, call);
  checkMysqlOptions(options);
  return withMysqlLocks(openMysql(mysqlClientFor(options.pool), options), options);
}
