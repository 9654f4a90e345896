import { checkEngineOptions } from '../../kernels/engine-options.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import type { PoolSizeSetting } from '../sql/clients/pool-settings.ts';
import { type PollSetting, type SchemaSetting, SQL_OPTIONS, type SqlSettings } from '../sql/sql-options.ts';

/** What can be set besides the pool. */
export interface PostgresSettings extends SqlSettings, SchemaSetting, PollSetting {}

/** What can be set where the connections are opened by an address. */
export interface PostgresConnectSettings extends PostgresSettings, PoolSizeSetting {}

export interface PostgresOptions extends PostgresSettings {
  /**
   * Your `Pool` of pg, your `sql` of postgres.js, or a function `(text, values) => Promise<rows>` of whatever you have. It
   * stays yours to close. While a caller waits, one connection of a pool of pg listens; one that has no other is not taken
   * for it, and the rows are looked at instead.
   */
  readonly pool: unknown;
}

const POSTGRES_OPTIONS: readonly (keyof Omit<PostgresOptions, keyof EngineOptions | keyof SqlSettings>)[] = [
  'pool',
  'schema',
  'pollMs',
];

/** Refuses misspelt options, and options that are no object. */
export function checkPostgresOptions(options: unknown): void {
  checkEngineOptions(options, [...SQL_OPTIONS, ...POSTGRES_OPTIONS], 'postgres');
}
