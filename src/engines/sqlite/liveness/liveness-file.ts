import { existsSync, rmSync, statSync } from 'node:fs';
import type { SqliteConnection, SqliteDriver } from '../file/sqlite-driver.ts';
import { isBusy } from '../file/sqlite-failures.ts';

/** What was found out about a client: only a proof counts as dead. */
export type Verdict = 'dead' | 'alive' | 'unknown';

/** The file that tells whether a client lives. */
export function livenessFileOf(database: string, client: string): string {
  return `${database}-alive-${client}.db`;
}

/**
 * The sign of life of one client: a file with an exclusive transaction that stays open as long as the client lives. The
 * system ends it with the process, whatever becomes of the process, and not before: also not while it is stopped.
 */
export class LivenessFile {
  readonly #file: string;
  readonly #connection: SqliteConnection;

  constructor(driver: SqliteDriver, file: string) {
    this.#file = file;
    this.#connection = driver.open(file);
    // A process that is killed leaves no journal behind; and what a power cut would undo, nobody asks about afterwards.
    this.#connection.execute('pragma journal_mode = memory; pragma synchronous = off');
    // Anything: a file with nothing in it was made by a prober that came too late.
    this.#connection.execute('pragma user_version = 1');
    this.#connection.execute('begin exclusive');
  }

  /** Whether it is still where others look for it. */
  get isThere(): boolean {
    return existsSync(this.#file);
  }

  /** All is given back: who looks for it now finds nothing, and learns nothing. */
  end(): void {
    rmSync(this.#file, { force: true });
    this.#connection.close();
  }

  /** As the end of a process ends it. */
  abandon(): void {
    this.#connection.close();
  }
}

/**
 * Whoever gets the lock of a client's file has the proof that it is gone (soundness 19). A file that is busy belongs to
 * somebody who lives. A file that is missing proves nothing: it may have been swept away under its owner.
 */
export function probe(driver: SqliteDriver, file: string): Verdict {
  if (!isWritten(file)) return 'unknown';
  let connection: SqliteConnection | undefined;
  try {
    connection = driver.open(file);
    connection.execute('begin exclusive');
    if (isWritten(file)) return 'dead';
    // It went between our two looks, and we have made it anew.
    rmSync(file, { force: true });
    return 'unknown';
  } catch (error) {
    return isBusy(error) ? 'alive' : 'unknown';
  } finally {
    connection?.close();
  }
}

function isWritten(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
