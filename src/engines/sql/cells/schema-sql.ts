import { argumentTypeError } from '../../../spi/errors.ts';
import type { Dialect, TableNames } from '../dialects/dialect.ts';
import { mysqlDialect } from '../dialects/mysql-dialect.ts';
import { rowLockSchema } from '../native/row-locks/row-lock-table.ts';
import { postgresDialect } from '../dialects/postgres-dialect.ts';
import { checkedTableNames } from '../sql-options.ts';
import { sqliteDialect } from '../dialects/sqlite-dialect.ts';

/** The same options as the engine's. */
export interface SchemaSqlOptions {
  /** What the names of the tables begin with. Default: `holdfast_`. */
  readonly tablePrefix?: string;
  /** The schema, or the database of MariaDB, that the tables are in. Default: that of the connection. */
  readonly schema?: string;
}

const dialects: Readonly<Record<Dialect['engine'], (tables: TableNames) => Dialect>> = {
  sqlite: sqliteDialect,
  postgres: postgresDialect,
  mysql: mysqlDialect,
};

/**
 * The SQL that creates the tables, for an application that may not create tables: a privileged user runs it once. To run it
 * again does no harm.
 */
export function schemaSql(engine: Dialect['engine'], options: SchemaSqlOptions = {}): string {
  const dialect = Object.hasOwn(dialects, engine) ? dialects[engine] : undefined;
  if (dialect === undefined)
    throw argumentTypeError(`schemaSql: known are ${Object.keys(dialects).join(', ')}.`, {
      resource: 'schemaSql',
      engine,
    });
  const tables = checkedTableNames(options, engine);
  const ofRowLocks = engine === 'sqlite' ? [] : [rowLockSchema(engine, tables)];
  return [...dialect(tables).schema, ...ofRowLocks].map((statement) => `${statement};\n`).join('\n');
}
