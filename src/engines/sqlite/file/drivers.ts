import { EngineError } from '../../../spi/errors.ts';
import type { SqlValue } from '../../sql/sql-client.ts';
import type { SqliteConnection, SqliteDriver, SqliteOutcome } from './sqlite-driver.ts';

/** A prepared statement of better-sqlite3, and of libsql, which implements the same interface. */
interface PreparedStatement {
  readonly reader: boolean;
  raw(): PreparedStatement;
  all(...values: readonly SqlValue[]): readonly (readonly SqlValue[])[];
  run(...values: readonly SqlValue[]): { readonly changes: number };
}

interface Database {
  prepare(text: string): PreparedStatement;
  exec(text: string): unknown;
  close(): void;
}

type DatabaseClass = new (file: string, options: { readonly timeout: number }) => Database;

/** The same for Node's own module. */
interface NodeStatement {
  columns?(): readonly unknown[];
  all(...values: readonly SqlValue[]): readonly Readonly<Record<string, SqlValue>>[];
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint };
}

interface NodeDatabase {
  prepare(text: string): NodeStatement;
  exec(text: string): unknown;
  close(): void;
}

type NodeDatabaseClass = new (file: string, options: { readonly timeout: number }) => NodeDatabase;

export type DriverName = SqliteDriver['name'];

const PRAGMA = /^\s*pragma\b/i;
const RETURNS_ROWS = /^\s*(?:select|pragma|with)\b|\breturning\b/i;

/**
 * In the order of preference: the runtime's own needs no package, and the user's choice goes before the package that we
 * bring.
 */
const loaders: Readonly<Record<DriverName, () => Promise<SqliteDriver>>> = {
  'node:sqlite': async () => {
    const { DatabaseSync } = await importPackage<{ readonly DatabaseSync: NodeDatabaseClass }>('node:sqlite');
    return { name: 'node:sqlite', open: (file) => nodeConnection(new DatabaseSync(file, { timeout: 0 })) };
  },
  'better-sqlite3': async () => {
    const { default: Class } = await importPackage<{ readonly default: DatabaseClass }>('better-sqlite3');
    return { name: 'better-sqlite3', open: (file) => connection(new Class(file, { timeout: 0 })) };
  },
  libsql: async () => {
    const { default: Class } = await importPackage<{ readonly default: DatabaseClass }>('libsql');
    return { name: 'libsql', open: (file) => connection(new Class(file, { timeout: 0 })) };
  },
};

export const DRIVER_NAMES = Object.keys(loaders) as readonly DriverName[];

const loaded = new Map<string, Promise<SqliteDriver>>();

/**
 * The driver of this name, or the first that works. One for the whole process, which must not mix drivers on a file.
 */
export function loadDriver(name?: DriverName): Promise<SqliteDriver> {
  const known = loaded.get(name ?? '');
  if (known !== undefined) return known;
  const driver = name === undefined ? loadFirst() : loaders[name]();
  loaded.set(name ?? '', driver);
  driver.catch(() => loaded.delete(name ?? ''));
  return driver;
}

async function loadFirst(): Promise<SqliteDriver> {
  let cause: unknown;
  for (const load of Object.values(loaders)) {
    try {
      const driver = await load();
      // A package may be installed without its binary, or with one for another Node: that shows only when it is used.
      driver.open(':memory:').close();
      return driver;
    } catch (error) {
      cause = error;
    }
  }
  throw new EngineError(
    'sqlite: there is no SQLite here. Use Node 22.13 or newer, or install one: `npm install libsql`, or `npm install better-sqlite3`.',
    { resource: 'sqlite()', engine: 'sqlite' },
    { cause, retryable: false },
  );
}

/** Packages that may be missing have no types at compile time; the interfaces above describe what is used of them. */
async function importPackage<T>(specifier: string): Promise<T> {
  return (await import(specifier)) as T;
}

function connection(database: Database): SqliteConnection {
  const statements = new Map<string, SqliteConnection['run']>();
  const prepare = (text: string): SqliteConnection['run'] => {
    const statement = database.prepare(text);
    // Asked once: the question crosses into native code, as the statement itself does.
    const change = PRAGMA.test(text) ? runPragma(database) : runForChange(statement);
    const run = statement.reader ? runForRows(statement.raw()) : change;
    statements.set(text, run);
    return run;
  };
  return {
    run: (text, values) => (statements.get(text) ?? prepare(text))(text, values),
    execute: (text) => void database.exec(text),
    close: () => {
      statements.clear();
      database.close();
    },
  };
}

function runForRows(statement: PreparedStatement): SqliteConnection['run'] {
  return (_text, values): SqliteOutcome => {
    const rows = statement.all(...values);
    return { rows, changed: rows.length };
  };
}

/**
 * A pragma may take many steps and bring no rows. Running it as a change takes one step only: better-sqlite3 drops the
 * rest, and libsql leaves the statement open, and with it a transaction that blocks every other process.
 */
function runPragma(database: Database): SqliteConnection['run'] {
  return (text): SqliteOutcome => {
    database.exec(text);
    return { rows: [], changed: 0 };
  };
}

function runForChange(statement: PreparedStatement): SqliteConnection['run'] {
  return (_text, values): SqliteOutcome => ({ rows: [], changed: statement.run(...values).changes });
}

function nodeConnection(database: NodeDatabase): SqliteConnection {
  const statements = new Map<string, NodeStatement>();
  const prepare = (text: string): NodeStatement => {
    const known = statements.get(text) ?? database.prepare(text);
    statements.set(text, known);
    return known;
  };
  return {
    run: (text, values): SqliteOutcome => {
      const statement = prepare(text);
      if (!RETURNS_ROWS.test(text)) return { rows: [], changed: Number(statement.run(...values).changes) };
      const rows = statement.all(...values).map((row) => Object.values(row));
      return { rows, changed: rows.length };
    },
    execute: (text) => void database.exec(text),
    close: () => {
      statements.clear();
      database.close();
    },
  };
}
