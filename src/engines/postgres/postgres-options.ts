import { checkEngineOptions } from '../../kernels/engine-options.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import type { PoolSizeSetting } from '../sql/clients/pool-settings.ts';
import type { PgPoolLike, PostgresJsLike } from '../sql/clients/pools.ts';
import type { QueryFunction } from '../sql/clients/query-function-client.ts';
import { type PollSetting, type SchemaSetting, SQL_OPTIONS, type SqlSettings } from '../sql/sql-options.ts';

/** The options besides the pool. */
export interface PostgresSettings extends SqlSettings, SchemaSetting, PollSetting {}

/** The options for a pool that we open by an address. */
export interface PostgresConnectSettings extends PostgresSettings, PoolSizeSetting {}

/** The options of `postgres()`: your pool, and the settings. */
export interface PostgresOptions extends PostgresSettings {
  /**
   * Your `Pool` of pg, your `sql` of postgres.js, or a function `(text, values) => Promise<rows>` over any other
   * client. Closing it stays your task. While an owner waits, one connection of a pool of pg listens; a pool of one
   * connection is not used for that, and the rows are polled instead.
   */
  readonly pool: PgPoolLike | PostgresJsLike | QueryFunction;
}

const POSTGRES_OPTIONS: readonly (keyof Omit<PostgresOptions, keyof EngineOptions | keyof SqlSettings>)[] = [
  'pool',
  'schema',
  'pollMs',
];

/** Refuses misspelt options, and options that are not an object. */
export function checkPostgresOptions(options: unknown): void {
  checkEngineOptions(options, [...SQL_OPTIONS, ...POSTGRES_OPTIONS], 'postgres');
}
