import { statSync } from 'node:fs';
import type { Sending } from '../../spi/engine/documents.ts';
import type { Clock } from '../../spi/clock.ts';
import { EngineError } from '../../spi/errors.ts';
import type { SqlClient, SqlResult, SqlSession, SqlValue } from '../sql/sql-client.ts';
import { SameFileWatch } from './same-file-watch.ts';
import { explainSqlite, sqliteFailure } from './sqlite-failures.ts';
import type { SqliteConnection, SqliteDriver } from './sqlite-driver.ts';

/** The order matters: what frees pages of a file can only be set before it has any. */
const PRAGMAS = ['auto_vacuum = incremental', 'synchronous = normal', 'busy_timeout = 0'];

/** How long it goes unnoticed, at most, that the file is another one: to look costs a tenth of a statement. */
const SAME_FILE_MS = 20;

/** A file that is another one so often in a row has no number that can be relied on, or somebody who never stops. */
const MOST_OPENINGS = 10;

/** For so long statements may follow each other before timers and sockets get their turn. */
const LONGEST_BURST_MS = 8;

/**
 * So many statements wait for their turn at once. They all run in this thread: more of them would not be done sooner, and
 * each would be decided anew when the process has stood still for longer than a decision is good for.
 */
const AT_ONCE = 4;

export interface SqliteClientOptions {
  readonly file: string;
  readonly clock: Clock;
  readonly driver: () => Promise<SqliteDriver>;
  /** Called when another file has taken the place of the one that was open. */
  readonly replaced: () => void;
  /** Called when all is over. */
  readonly ended: () => void;
}

/** A connection, and the file that it is to: another may be in its place by now. */
interface OpenedFile {
  readonly connection: SqliteConnection;
  readonly inode: number;
}

/**
 * Statements on a file. They run in this thread and are over when they return; one that finds the file busy fails at once
 * and is asked for again later, because a handler that sleeps inside SQLite would stop the whole event loop.
 */
export class SqliteClient implements SqlClient {
  readonly atOnce = AT_ONCE;
  readonly #options: SqliteClientOptions;
  /** The one for all single statements. */
  #shared: OpenedFile | undefined;
  readonly #watch: SameFileWatch;
  /** One for the next transaction. */
  #spare: OpenedFile | undefined;
  #lookedAt = -Infinity;
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
   * A connection of its own: a transaction on the first one would take in the statements of everybody else. One is kept for
   * the next transaction. To open one for each takes twenty times as long as what is done on it, and libsql puts off the closing:
   * hundreds of files stayed open where many wanted the same thing.
   */
  readonly session = async (): Promise<SqlSession> => {
    const own = this.#takeSpare() ?? openedSurely(await this.#options.driver(), this.#options.file);
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
    this.#takeSpare()?.connection.close();
    this.#options.ended();
  }

  /**
   * Undefined if there is none, or if it is that of a file which is no longer there: who goes on writing to it is alone
   * with itself while others meet in a new one.
   */
  #current(now: number): SqliteConnection | undefined {
    const shared = this.#shared;
    if (shared === undefined || now - this.#lookedAt < SAME_FILE_MS) return shared?.connection;
    this.#lookedAt = now;
    if (inodeOf(this.#options.file) === shared.inode) return shared.connection;
    this.#drop();
    this.#options.replaced();
    return undefined;
  }

  /** Something has become of the file, or some time has passed. */
  #lookAgain(): void {
    this.#lookedAt = -Infinity;
    this.#current(this.#options.clock.now());
  }

  async #open(): Promise<SqliteConnection> {
    const driver = await this.#options.driver();
    // Somebody else may have opened it meanwhile.
    if (this.#shared !== undefined) return this.#shared.connection;
    if (this.#closed) throw new Error('The file was closed.');
    this.#shared = openedSurely(driver, this.#options.file);
    this.#watch.begin();
    return this.#shared.connection;
  }

  /** Undefined if there is none, or if it is that of a file which is no longer there. */
  #takeSpare(): OpenedFile | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined || spare.inode === inodeOf(this.#options.file)) return spare;
    spare.connection.close();
    return undefined;
  }

  /**
   * What is answered at once is awaited without a turn of the event loop: whoever takes a lock again and again would keep
   * it from turning. A burst ends when a timer gets its turn, and one that does not end is made to wait for that.
   * This timer keeps the process alive, because nothing else may: one that had slept between two statements waited here,
   * and Node ended it, with 0, in the middle of opening a new file.
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
 * The race: another file takes the place of this one between its opening and the look at what is there. Whoever took the new
 * one's number for that of the old would write to a file that nobody else can see, and never find out: a lock held twice.
 * So it is looked at before as well; and a file that was not there before is opened again, for it may be somebody else's.
 */
function openedSurely(driver: SqliteDriver, file: string): OpenedFile {
  for (let openings = 0; openings < MOST_OPENINGS; openings++) {
    const inode = inodeOf(file);
    let connection: SqliteConnection;
    try {
      connection = opened(driver, file);
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

/** Opens the file in the one way in which several processes read while one writes. */
function opened(driver: SqliteDriver, file: string): SqliteConnection {
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

/** To close is not enough: libsql puts that off until statements are collected, and so long nobody else could write. */
function rollBack(connection: SqliteConnection): void {
  try {
    connection.execute('rollback');
  } catch {
    // There was no transaction, or the file is gone and with it what was begun.
  }
}

/** Undefined if it is not there. */
function inodeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino;
}
