import { existsSync, rmSync, statSync } from 'node:fs';
import type { SqliteConnection, SqliteDriver } from '../file/sqlite-driver.ts';
import { isBusy } from '../file/sqlite-failures.ts';

/** What was found out about a client: only a proof counts as dead. */
export type Verdict = 'dead' | 'alive' | 'unknown';

/** The file that shows whether a client lives. */
export function livenessFileOf(database: string, client: string): string {
  return `${database}-alive-${client}.db`;
}

/**
 * The sign of life of one client: a file with an exclusive transaction that stays open as long as the client lives. The
 * system ends it with the process, however the process ends, and not before: also not while the process is stopped.
 */
export class LivenessFile {
  readonly #file: string;
  readonly #connection: SqliteConnection;

  constructor(driver: SqliteDriver, file: string) {
    this.#file = file;
    this.#connection = driver.open(file);
    // A killed process leaves no journal behind; and after a power cut no client asks about this one.
    this.#connection.execute('pragma journal_mode = memory; pragma synchronous = off');
    // Writes something: an empty file was created by a prober that came too late.
    this.#connection.execute('pragma user_version = 1');
    this.#connection.execute('begin exclusive');
  }

  /** Whether the file is still where other clients look for it. */
  get isThere(): boolean {
    return existsSync(this.#file);
  }

  /** Ends after everything was released: a prober then finds no file, and learns nothing. */
  end(): void {
    try {
      rmSync(this.#file, { force: true });
    } catch {
      // Its folder cannot be seen (EACCES, ELOOP). The file stays, and proves what is true from now on: that its client is gone.
    } finally {
      this.#connection.close();
    }
  }

  /** Ends as the end of a process would end it. */
  abandon(): void {
    this.#connection.close();
  }
}

/**
 * A prober that gets the lock of a client's file has the proof that the client is dead (soundness 19). A busy file
 * belongs to a live client. A missing file proves nothing: it may have been swept away under its owner.
 */
export function probe(driver: SqliteDriver, file: string): Verdict {
  let connection: SqliteConnection | undefined;
  try {
    // Inside, because a folder that cannot be seen (EACCES, ELOOP, ESTALE) throws here, into the timer of the prober.
    if (!isWritten(file)) return 'unknown';
    connection = driver.open(file);
    connection.execute('begin exclusive');
    if (isWritten(file)) return 'dead';
    // The file was removed between our two looks, and opening has created it anew.
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
