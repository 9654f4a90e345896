import { backquotedName, quotedName } from '../../dialects/quoted-name.ts';

/** The table of the rows that row locks lock. */
export interface RowLockTable {
  readonly schema: string | undefined;
  readonly tablePrefix: string;
}

const NAME = 'row_locks';

/** The name of the table as each kind of server writes it. */
export function rowLockTable(engine: 'postgres' | 'mysql', { schema, tablePrefix }: RowLockTable): string {
  const quoted = engine === 'postgres' ? quotedName : backquotedName;
  const table = quoted(`${tablePrefix}${NAME}`);
  return schema === undefined ? table : `${quoted(schema)}.${table}`;
}

/** The statement that creates the table, for databases whose application user may not. */
export function rowLockSchema(engine: 'postgres' | 'mysql', names: RowLockTable): string {
  const table = rowLockTable(engine, names);
  // Names are compared byte by byte: a collation would make one lock of two names.
  return engine === 'postgres'
    ? `create table if not exists ${table} (name text collate "C" primary key, fence bigint not null)`
    : `create table if not exists ${table} (name varbinary(512) not null primary key, fence bigint not null) engine = innodb`;
}
