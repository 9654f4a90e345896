import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Statement } from '../dialects/dialect.ts';
import type { Statements } from './statements.ts';

const SUBJECT = 'clean-up';
/** So many rows go with one statement: a large one would keep others waiting. */
const BATCH = 500;
const PAUSE_MS = 100;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Removes the rows that nobody needs any more, a few at a time, by one process at a time and in passing: a client that does
 * nothing cleans up nothing. The first time is left to chance within the hour, so that processes which start together do not do it together.
 */
export class CleanUp {
  readonly #statements: Statements;
  readonly #afterwards: () => Promise<void> | void;
  #nextAt: number | undefined;
  #running: Promise<void> | undefined;

  constructor(statements: Statements, afterwards: () => Promise<void> | void = () => undefined) {
    this.#statements = statements;
    this.#afterwards = afterwards;
  }

  /** Cleans up in the background if it is time, by the database's clock. */
  runIfDue(now: number): void {
    this.#nextAt ??= now + HOUR_MS * this.#statements.client.random.fraction();
    if (now < this.#nextAt) return;
    this.#nextAt = now + HOUR_MS;
    this.#running ??= this.runAll().finally(() => {
      this.#running = undefined;
    });
    this.#statements.client.background(this.#running);
  }

  /** All that may go. */
  async runAll(): Promise<void> {
    const { client } = this.#statements;
    const subject = { resource: SUBJECT, engine: client.label };
    try {
      for (;;) {
        if ((await this.#removeBatch(subject)) < BATCH || client.closed) break;
        // Others come in between: a process that removes a million rows must not keep the database busy with it.
        await client.sleep(PAUSE_MS);
      }
      await this.#afterwards();
    } catch (error) {
      // Nobody waits for it, and it is tried again in an hour.
      client.events.trouble.emit({ kind: SUBJECT, name: '', engine: client.label, error });
    }
  }

  /** How many rows went: none if another process is at it, which then does the rest as well. */
  async #removeBatch(subject: ErrorSubject): Promise<number> {
    const { dialect, sql } = this.#statements;
    const batch = dialect.cleanUp(BATCH);
    const lock = sql.openSession === undefined ? undefined : dialect.cleanUpLock;
    if (lock === undefined) return (await this.#statements.runInTime(subject, batch)).changed;
    const session = await this.#statements.openSession();
    const run = ({ text, values }: Statement) => this.#statements.inTime(session.query(text, values));
    let how: 'reuse' | 'discard' = 'discard';
    try {
      const isAlone = Number((await run(lock.take)).rows[0]?.[0]) === 1;
      const changed = isAlone ? (await run(batch)).changed : 0;
      if (isAlone) await run(lock.release);
      how = 'reuse';
      return changed;
    } finally {
      // With the connection goes the lock, if the statement that was to release it failed.
      await session.end(how);
    }
  }
}
