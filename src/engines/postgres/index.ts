import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import { postgresClientFor } from '../sql/clients/recognise.ts';
import type { PostgresLocks } from '../sql/native/native-locks.ts';
import { withPostgresLocks } from '../sql/native/with-locks.ts';
import type { SqlExtras } from '../sql/open-sql-engine.ts';
import { openPostgres, type postgresTraits } from './open-postgres.ts';
import { checkPostgresOptions, type PostgresOptions } from './postgres-options.ts';

export type * from '../../spi/engine/inspector.ts';
export type { PostgresLocks, NativeLocks } from '../sql/native/native-locks.ts';
export type { TableLockFactory, TableLockOptions } from '../sql/native/table-locks/table-locks.ts';
export type { TransactionHold, TransactionLock } from '../sql/native/row-locks/transaction-lock.ts';
export type { AdvisoryLockFactory } from '../sql/native/connection-locks/advisory-locks.ts';
export type { SqlExtras } from '../sql/open-sql-engine.ts';
export type { PgPoolLike, PostgresJsLike } from '../sql/clients/pools.ts';
export type { QueryFunction } from '../sql/clients/query-function-client.ts';
export { schemaSql, type SchemaSqlOptions } from '../sql/cells/schema-sql.ts';
export type { PostgresConnectSettings, PostgresOptions, PostgresSettings } from './postgres-options.ts';

/** What `postgres()` returns: all nine synchronizers, an inspector, and the database's own locks. */
export type PostgresSynchronizers = Synchronizers &
  SqlExtras &
  PostgresLocks & {
    /** What users can count on in this engine. */
    readonly traits: typeof postgresTraits;
  };

const call = {
  engine: 'postgres',
  option: 'pool',
  what: 'your Pool of pg, your sql of postgres.js or a query function',
  byAddress: "await connect('postgres://user@host/database')",
};

/** All synchronizers on your PostgreSQL, in two small tables that are created at first use. */
export function postgres(options: PostgresOptions): PostgresSynchronizers {
  checkFactoryArgument(options, call);
  checkPostgresOptions(options);
  return withPostgresLocks(openPostgres(postgresClientFor(options.pool), options), options);
}
