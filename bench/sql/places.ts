import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariadb } from '../../test/fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../../test/fixtures/sql/postgres-server.ts';
import type { Place } from '../place.ts';

/** A folder on a real disk, for the files of SQLite. */
export async function makeFolder(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  return { port: 0, folder, stop: async () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Both servers write to the disk before they answer, as they do with their default settings. The tests' own settings
 * would make every statement faster, and what our client adds to it look larger.
 */
export async function startDurablePostgres(): Promise<Place> {
  const settings = {
    fsync: 'on',
    full_page_writes: 'on',
    // Counts the statements of all clients.
    shared_preload_libraries: 'pg_stat_statements',
  };
  const server = await startPostgres({ settings });
  return { port: server.port, folder: server.dir, stop: () => server.stop() };
}

export async function startDurableMariadb(): Promise<Place> {
  const server = await startMariadb({ settings: { 'innodb-flush-log-at-trx-commit': '1' } });
  return { port: server.port, folder: server.dir, stop: () => server.stop() };
}
