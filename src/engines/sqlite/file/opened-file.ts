import { statSync } from 'node:fs';
import { EngineError } from '../../../spi/errors.ts';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.ts';

/** The order matters: `auto_vacuum` can be set only before the file has pages. */
const PRAGMAS = ['auto_vacuum = incremental', 'synchronous = normal', 'busy_timeout = 0'];

/** A file that is another one so often in a row has no reliable inode number, or a program keeps replacing it. */
const MOST_OPENINGS = 10;

/** A connection, and the inode of its file: another file may be in its place by now. */
export interface OpenedFile {
  readonly connection: SqliteConnection;
  readonly inode: number;
}

/**
 * The race: another file takes the place of this one between opening it and reading its inode. A client that took the
 * inode of the new file for that of the old one would write to a file that no other process sees, and never find out: a
 * lock held twice. So the inode is read before as well; and a file that did not exist before is opened again, because
 * another process may have created it.
 */
export function openSameFile(driver: SqliteDriver, file: string): OpenedFile {
  for (let openings = 0; openings < MOST_OPENINGS; openings++) {
    const inode = inodeOf(file);
    let connection: SqliteConnection;
    try {
      connection = openInWalMode(driver, file);
    } catch (error) {
      if (inodeOf(file) === inode) throw error;
      continue;
    }
    if (inode !== undefined && inodeOf(file) === inode) return { connection, inode };
    connection.close();
  }
  throw new EngineError(
    `${file} was another file each of the ${MOST_OPENINGS} times that it was opened. Keep it on a local disk, and let no program replace it.`,
    { resource: 'sqlite()', engine: 'sqlite' },
    { retryable: true },
  );
}

/** Opens the file in WAL mode, the only one in which several processes read while one writes. */
function openInWalMode(driver: SqliteDriver, file: string): SqliteConnection {
  const connection = driver.open(file);
  try {
    for (const pragma of PRAGMAS) connection.run(`pragma ${pragma}`, []);
    const mode = connection.run('pragma journal_mode = wal', []).rows[0]?.[0];
    if (mode === 'wal') return connection;
    throw new EngineError(
      `${file} cannot be shared: its file system has no shared memory (journal mode ${String(mode)}). Use a local disk.`,
      { resource: 'sqlite()', engine: 'sqlite' },
      { retryable: false },
    );
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Undefined if the file does not exist. Throws if the file system does not say. */
export function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
