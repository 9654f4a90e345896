import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { SqlExtras } from '../sql/open-sql-engine.ts';
import { openSqlite, type sqliteTraits } from './open-sqlite.ts';
import type { SqliteOptions } from './sqlite-options.ts';

export type * from '../../spi/engine/inspector.ts';
export { schemaSql } from '../sql/cells/schema-sql.ts';
export type { SchemaSqlOptions } from '../sql/cells/schema-sql.ts';
export type { SqlExtras } from '../sql/open-sql-engine.ts';
export type { SqliteOptions, SqliteSettings } from './sqlite-options.ts';

/** What `sqlite()` returns: all nine synchronizers, and an inspector. */
export type SqliteSynchronizers = Synchronizers &
  SqlExtras & {
    /** What users can count on in this engine. */
    readonly traits: typeof sqliteTraits;
  };

/**
 * All synchronizers for the processes of one machine, in a file that they share: no server is needed.
 *
 * Uses the SQLite of the runtime (Node 22.13 or newer), else `better-sqlite3` if it is installed, else `libsql`.
 *
 * @example
 * ```ts
 * import { sqlite } from 'holdfast/sqlite';
 *
 * await using locks = sqlite({ file: 'locks.db' });
 * await locks.lock('nightly report').run(() => console.log('alone'));
 * ```
 */
export function sqlite(options: SqliteOptions): SqliteSynchronizers {
  const { inside: _inside, ...engine } = openSqlite(options);
  return engine;
}
