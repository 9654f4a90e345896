import { importPackage } from '../../../core/import-package.ts';
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
const ENDS_TRANSACTION = /^\s*(?:commit|end|rollback)\b/i;
const RETURNS_ROWS = /^\s*(?:select|pragma|with)\b|\breturning\b/i;

/**
 * In the order of preference: the runtime's own needs no package, and better-sqlite3 is what most programs have that use SQLite
 * themselves.
 */
const loaders: Readonly<Record<DriverName, () => Promise<SqliteDriver>>> = {
  'node:sqlite': async () => {
    const { DatabaseSync } = await loadModule<{ readonly DatabaseSync: NodeDatabaseClass }>('node:sqlite');
    return { name: 'node:sqlite', open: (file) => nodeConnection(new DatabaseSync(file, { timeout: 0 })) };
  },
  'better-sqlite3': async () => {
    const { default: Class } = await loadModule<{ readonly default: DatabaseClass }>('better-sqlite3');
    return { name: 'better-sqlite3', open: (file) => connection(new Class(file, { timeout: 0 })) };
  },
  libsql: async () => {
    const { default: Class } = await loadModule<{ readonly default: DatabaseClass }>('libsql');
    return { name: 'libsql', open: (file) => endingBusyChanges(new Class(file, { timeout: 0 })) };
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
async function loadModule<T>(specifier: string): Promise<T> {
  return (await importPackage(specifier)) as T;
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

/**
 * A connection of libsql, which leaves a change that found the file busy as SQLite does: under way, to be tried again. The caller
 * may have given it up. The next change on the connection then has an older one beside it, so its transaction does not end:
 * no other process can write, or see that change, until the older one is sent again. libsql offers no reset, but a change that
 * is refused for another reason ends: it is sent once more while the connection takes no changes.
 */
function endingBusyChanges(database: Database): SqliteConnection {
  const plain = connection(database);
  return {
    run: (text, values) => {
      try {
        return plain.run(text, values);
      } catch (error) {
        // The end of a transaction is no change: it would be carried out.
        if (isBusy(error) && !ENDS_TRANSACTION.test(text)) {
          plain.execute('pragma query_only = on');
          try {
            plain.run(text, values);
          } catch {
            // SQLITE_READONLY, as was meant.
          } finally {
            plain.execute('pragma query_only = off');
          }
        }
        throw error;
      }
    },
    execute: (text) => plain.execute(text),
    close: () => plain.close(),
  };
}

function isBusy(error: unknown): boolean {
  return String((error as { readonly code?: unknown }).code).startsWith('SQLITE_BUSY');
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
