import { resolve } from 'node:path';
import type { Client } from '../../core/client.ts';
import type { Synchronizers } from '../../spi/synchronizers.ts';
import type { Traits } from '../../spi/engine/traits.ts';
import { openSqlEngine, type SqlConnection, type SqlExtras, type SqlInside } from '../sql/open-sql-engine.ts';
import { RowPoller } from '../sql/cells/row-poller.ts';
import { cellTraits } from '../sql/cell-traits.ts';
import type { SqlClient } from '../sql/sql-client.ts';
import { checkedSqlSettings } from '../sql/sql-options.ts';
import { type SqlSurroundings, systemSurroundings } from '../sql/sql-surroundings.ts';
import { sqliteDialect } from '../sql/dialects/sqlite-dialect.ts';
import { loadDriver } from './file/drivers.ts';
import { ClientLiveness } from './liveness/client-liveness.ts';
import { SqliteClient } from './file/sqlite-client.ts';
import { checkSqliteOptions, type SqliteOptions } from './sqlite-options.ts';
import { SqliteChangeFeed } from './sqlite-change-feed.ts';
import { WalWatch } from './file/wal-watch.ts';

export const sqliteTraits = {
  ...cellTraits,
  wakeUp: 'push',
  crash: 'session',
  scope: 'machine',
} as const satisfies Traits;

/** How often waiters poll the rows, with and without a watch on the log. */
const SLOW_LOOK_MS = 100;
const FAST_LOOK_MS = 10;
/** How many pages to give back to the file system at a time. */
const PAGES = 200;

/** What one engine object runs on, and what a test puts in between. */
export interface SqliteSurroundings extends SqlSurroundings {
  readonly wrap?: (sql: SqlClient, life: ClientLiveness) => SqlClient;
}

export function openSqlite(
  options: SqliteOptions,
  surroundings: SqliteSurroundings = systemSurroundings,
): Synchronizers & SqlExtras & { readonly traits: typeof sqliteTraits; readonly inside: SqlInside } {
  checkSqliteOptions(options);
  const settings = checkedSqlSettings(options, 'sqlite');
  // Resolved once, so that the locks stay where they are if the program changes its working directory.
  const file = resolve(options.file);
  return openSqlEngine({
    engine: 'sqlite',
    traits: sqliteTraits,
    options,
    settings,
    dialect: sqliteDialect(settings.tables, { now: surroundings.now }),
    surroundings: { clock: surroundings.clock, random: surroundings.random },
    connect: (client, replaced) => connectTo(file, options, client, replaced, surroundings.wrap),
  });
}

function connectTo(
  file: string,
  { driver }: SqliteOptions,
  client: Client,
  replaced: () => void,
  wrap: SqliteSurroundings['wrap'],
): SqlConnection {
  const liveness = new ClientLiveness({
    database: file,
    client,
    load: () => loadDriver(driver),
    onDeath: (dead) => feed?.noteDeath(dead),
  });
  const own = new SqliteClient({
    file,
    clock: client.clock,
    driver: () => liveness.begin(),
    onReplaced: () => {
      replaced();
      // A grant of the old file may be missing in the new one: ask about all holds, because a client that only holds
      // never asks by itself.
      client.keeper.askAboutAll();
    },
    onUnseen: (error) => {
      client.events.trouble.emit({ kind: 'file', name: file, engine: client.label, error });
    },
    onClosed: () => liveness.end(),
  });
  const sql = wrap === undefined ? own : wrap(own, liveness);
  let feed: SqliteChangeFeed | undefined;
  return {
    sql,
    createFeed: (statements) => {
      const wal = new WalWatch(file, () => feed?.noteChange());
      const untilNextLookMs = (): number => {
        wal.begin();
        return wal.isWatching ? SLOW_LOOK_MS : FAST_LOOK_MS;
      };
      const rows = new RowPoller({ statements, untilNextLookMs });
      feed = new SqliteChangeFeed({ rows, wal, deadClients: liveness.deadClients });
      return feed;
    },
    afterCleanUp: async () => {
      await giveBackPages(sql);
      liveness.sweep();
    },
  };
}

/** Gives freed pages back to the file system, a little at a time: no other process can write meanwhile. */
async function giveBackPages(sql: SqlClient): Promise<void> {
  for (;;) {
    const free = Number((await sql.query('pragma freelist_count', [])).rows[0]?.[0]);
    if (!(free > 0)) break;
    await sql.query(`pragma incremental_vacuum(${PAGES})`, []);
    const left = Number((await sql.query('pragma freelist_count', [])).rows[0]?.[0]);
    if (left >= free) break;
  }
  await sql.query('pragma wal_checkpoint(passive)', []);
}
