import type { Sending } from '../../../spi/engine/documents.ts';
import type { Clock } from '../../../spi/clock.ts';
import type { SqlClient, SqlResult, SqlSession, SqlValue } from '../../sql/sql-client.ts';
import { inodeOf, type OpenedFile, openSameFile } from './opened-file.ts';
import { SameFileWatch } from './same-file-watch.ts';
import { explainSqlite, sqliteFailure } from './sqlite-failures.ts';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.ts';

/** How long it may go unnoticed that the file was replaced: a look costs 10 % of a statement. */
const SAME_FILE_MS = 20;

/** How long statements may follow each other before timers and sockets get their turn. */
const LONGEST_BURST_MS = 8;

/**
 * How many statements may be pending at once. They all run in this thread: more would not finish sooner, and each would
 * have to be decided anew when the process was paused for longer than its decision is valid.
 */
const AT_ONCE = 4;

export interface SqliteClientOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly driver: () => Promise<SqliteDriver>;
  /** Called when another file has taken the place of the open one. */
  readonly onReplaced: () => void;
  /** Called when the file can no longer be looked at, once until it can be again. */
  readonly onUnseen: (error: unknown) => void;
  /** Called when the client is closed. */
  readonly onClosed: () => void;
}

/**
 * Statements on a file. They run in this thread and are finished when they return; one that finds the file busy fails
 * at once and is sent again later, because a busy handler that sleeps inside SQLite would stop the whole event loop.
 */
export class SqliteClient implements SqlClient {
  readonly atOnce = AT_ONCE;
  readonly #options: SqliteClientOptions;
  /** The connection for all single statements. */
  #shared: OpenedFile | undefined;
  readonly #watch: SameFileWatch;
  /** A connection kept for the next transaction. */
  #spare: OpenedFile | undefined;
  #lookedAt = -Infinity;
  #isUnseen = false;
  #burstBeganAt: number | undefined;
  #burst: Promise<void> | undefined;
  #endBurst: (() => void) | undefined;
  #closed = false;

  constructor(options: SqliteClientOptions) {
    this.#options = options;
    this.#watch = new SameFileWatch(options.file, options.clock, () => this.#lookAgain());
  }

  async query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult> {
    const now = this.#options.clock.now();
    if (this.#burstBeganAt === undefined) this.#beginBurst(now);
    else if (now - this.#burstBeganAt > LONGEST_BURST_MS) await this.#burst;
    const connection = this.#current(now) ?? (await this.#open());
    sending?.leaves();
    try {
      return connection.run(text, values);
    } catch (error) {
      // A statement that fails in this thread is undone before it returns.
      sending?.cameToNothing();
      throw error;
    }
  }

  failure(error: unknown) {
    return sqliteFailure(error);
  }

  explain(error: unknown): string | undefined {
    return explainSqlite(error, this.#options.file);
  }

  /**
   * Opens a connection of its own: a transaction on the shared one would include the statements of all other callers.
   * Keeps one for the next transaction: opening takes twenty times as long as the work on it, and libsql delays the
   * closing, so that hundreds of files stayed open where many transactions ran.
   */
  readonly openSession = async (): Promise<SqlSession> => {
    const own = this.#takeSpare() ?? openSameFile(await this.#options.driver(), this.#options.file);
    const { connection } = own;
    return {
      query: async (text, values) => connection.run(text, values),
      onBroken: () => () => undefined,
      onNotice: undefined,
      end: async (how) => {
        if (how === 'discard') rollBack(connection);
        if (how === 'reuse' && this.#spare === undefined && !this.#closed) this.#spare = own;
        else connection.close();
      },
      native: connection,
    };
  };

  async close(): Promise<void> {
    this.#closed = true;
    this.#endBurst?.();
    this.#drop();
    this.#spare?.connection.close();
    this.#spare = undefined;
    this.#options.onClosed();
  }

  /**
   * Undefined if there is none, or if it belongs to a file that was replaced: a client that goes on writing there is
   * alone, while others meet in the new file.
   */
  #current(now: number): SqliteConnection | undefined {
    const shared = this.#shared;
    if (shared === undefined || now - this.#lookedAt < SAME_FILE_MS) return shared?.connection;
    const inode = inodeOf(this.#options.file);
    // Not before: a look that failed tells nothing, and what follows it must look again.
    this.#lookedAt = now;
    if (inode === shared.inode) return shared.connection;
    this.#drop();
    this.#options.onReplaced();
    return undefined;
  }

  /**
   * The file may have changed, or some time has passed. A timer and a watcher call this, so what it throws ends the
   * process. A file that cannot be looked at (EACCES, ELOOP, ESTALE) may still be the same: a holder keeps what it has for as
   * long as its lease says, and statements are refused until the file is seen again.
   */
  #lookAgain(): void {
    this.#lookedAt = -Infinity;
    try {
      this.#current(this.#options.clock.now());
      this.#isUnseen = false;
    } catch (error) {
      if (!this.#isUnseen) this.#options.onUnseen(error);
      this.#isUnseen = true;
    }
  }

  async #open(): Promise<SqliteConnection> {
    const driver = await this.#options.driver();
    // Another statement may have opened it meanwhile.
    if (this.#shared !== undefined) return this.#shared.connection;
    if (this.#closed) throw new Error('The file was closed.');
    this.#shared = openSameFile(driver, this.#options.file);
    this.#watch.begin();
    return this.#shared.connection;
  }

  /** Undefined if there is none, or if it belongs to a file that was replaced. */
  #takeSpare(): OpenedFile | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) return undefined;
    let isCurrent = false;
    try {
      isCurrent = spare.inode === inodeOf(this.#options.file);
    } finally {
      if (!isCurrent) spare.connection.close();
    }
    return isCurrent ? spare : undefined;
  }

  /**
   * A statement answers without a turn of the event loop: a client that takes a lock again and again would keep the
   * loop from turning. A burst ends when a timer gets its turn, and a burst that does not end is made to wait for that.
   * This timer keeps the process alive, because nothing else may: a process that had slept between two statements
   * waited here, and Node ended it, with code 0, in the middle of opening a new file.
   */
  #beginBurst(now: number): void {
    this.#burstBeganAt = now;
    this.#burst = new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.#burstBeganAt = undefined;
        resolve();
      };
      const timer = this.#options.clock.timer(0, end);
      timer.keepsAlive(true);
      this.#endBurst = end;
    });
  }

  #drop(): void {
    this.#watch.end();
    this.#shared?.connection.close();
    this.#shared = undefined;
  }
}

/**
 * Closing is not enough: libsql delays it until statements are garbage-collected, and no other process could write
 * until then.
 */
function rollBack(connection: SqliteConnection): void {
  try {
    connection.execute('rollback');
  } catch {
    // There was no transaction, or the file is gone and the transaction with it.
  }
}
