import type { SqlInside } from '../open-sql-engine.ts';
import { checkedSqlSettings, type SchemaSetting, type SqlSettings } from '../sql-options.ts';
import { type MysqlLocks, mysqlLocks, type PostgresLocks, postgresLocks } from './native-locks.ts';
import { type NativeParts, USUAL_LATE_AFTER_MS, USUAL_WAIT_SLICE_MS } from './native-parts.ts';

interface OpenedEngine {
  readonly inside: SqlInside;
}

type Settings = SqlSettings & SchemaSetting;

/** Adds the native locks of PostgreSQL to the engine object, and hides its internals. */
export function withPostgresLocks<T extends OpenedEngine>(
  opened: T,
  settings: Settings,
): Omit<T, 'inside'> & PostgresLocks {
  const { inside, ...engine } = opened;
  return { ...engine, ...postgresLocks(partsOf(inside, settings, 'postgres')) };
}

/** The same for MySQL and MariaDB. */
export function withMysqlLocks<T extends OpenedEngine>(
  opened: T,
  settings: Settings,
): Omit<T, 'inside'> & MysqlLocks {
  const { inside, ...engine } = opened;
  return { ...engine, ...mysqlLocks(partsOf(inside, settings, 'mysql')) };
}

function partsOf({ client, statements }: SqlInside, settings: Settings, engine: string): NativeParts {
  const { tables, commandTimeoutMs } = checkedSqlSettings(settings, engine);
  return {
    client,
    sql: statements.sql,
    open: () => undefined,
    ...tables,
    commandTimeoutMs,
    createTables: true,
    waitSliceMs: USUAL_WAIT_SLICE_MS,
    lateAfterMs: USUAL_LATE_AFTER_MS,
  };
}
