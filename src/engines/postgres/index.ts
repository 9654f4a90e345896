import type { Synchronizers } from '../../spi/synchronizers.ts';
import { postgresClientFor } from '../sql/clients/recognise.ts';
import type { PostgresLocks } from '../sql/native/native-locks.ts';
import { withPostgresLocks } from '../sql/native/with-locks.ts';
import type { SqlExtras } from '../sql/open-sql-engine.ts';
import { openPostgres, type postgresTraits } from './open-postgres.ts';
import type { PostgresOptions } from './postgres-options.ts';

export type * from '../../spi/engine/inspector.ts';
export type { PostgresLocks, NativeLocks } from '../sql/native/native-locks.ts';
export type { TableLockFactory, TableLockOptions } from '../sql/native/table-locks/table-locks.ts';
export type { TransactionHold, TransactionLock } from '../sql/native/row-locks/transaction-lock.ts';
export type { AdvisoryLockFactory } from '../sql/native/connection-locks/advisory-locks.ts';
export type { SqlExtras } from '../sql/open-sql-engine.ts';
export { schemaSql, type SchemaSqlOptions } from '../sql/cells/schema-sql.ts';
export type { PostgresConnectSettings, PostgresOptions, PostgresSettings } from './postgres-options.ts';

/** What `postgres()` returns: all nine synchronizers, an inspector, and the database's own locks. */
export type PostgresSynchronizers = Synchronizers &
  SqlExtras &
  PostgresLocks & { readonly traits: typeof postgresTraits };

/** All synchronizers on your PostgreSQL, in two small tables that are created at first use. */
export function postgres(options: PostgresOptions): PostgresSynchronizers {
  return withPostgresLocks(openPostgres(postgresClientFor(options?.pool), options), options);
}
