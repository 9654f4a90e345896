import { checkEngineOptions } from '../../kernels/engine-options.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import type { PoolSizeSetting } from '../sql/clients/pool-settings.ts';
import type { MariadbPoolLike, Mysql2PoolLike } from '../sql/clients/pools.ts';
import type { QueryFunction } from '../sql/clients/query-function-client.ts';
import { type PollSetting, type SchemaSetting, SQL_OPTIONS, type SqlSettings } from '../sql/sql-options.ts';

/** The options besides the pool. */
export interface MysqlSettings extends SqlSettings, SchemaSetting, PollSetting {}

/** The options for a pool that we open by an address. */
export interface MysqlConnectSettings extends MysqlSettings, PoolSizeSetting {}

/** The options of `mysql()`: your pool, and the settings. */
export interface MysqlOptions extends MysqlSettings {
  /**
   * Your pool of mysql2 or mariadb, or a function `(text, values) => Promise<rows>` over any other client. Closing it
   * stays your task.
   */
  readonly pool: Mysql2PoolLike | MariadbPoolLike | QueryFunction;
}

const MYSQL_OPTIONS: readonly (keyof Omit<MysqlOptions, keyof EngineOptions | keyof SqlSettings>)[] = [
  'pool',
  'schema',
  'pollMs',
];

/** Refuses misspelt options, and options that are not an object. */
export function checkMysqlOptions(options: unknown): void {
  checkEngineOptions(options, [...SQL_OPTIONS, ...MYSQL_OPTIONS], 'mysql');
}
