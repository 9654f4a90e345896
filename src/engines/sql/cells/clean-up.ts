import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Statement } from '../dialects/dialect.ts';
import type { Statements } from './statements.ts';

const SUBJECT = 'clean-up';
/** Rows per statement: a larger statement would block other clients. */
const BATCH = 500;
const PAUSE_MS = 100;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Removes expired rows, a few at a time, by one process at a time, after a write of its own: an idle client cleans up
 * nothing. The first time is random within the hour, so that processes that start together do not clean up together.
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

  /** Cleans up in the background if it is due by the database's clock. */
  runIfDue(now: number): void {
    this.#nextAt ??= now + HOUR_MS * this.#statements.client.random.fraction();
    if (now < this.#nextAt) return;
    this.#nextAt = now + HOUR_MS;
    this.#running ??= this.runAll().finally(() => {
      this.#running = undefined;
    });
    this.#statements.client.background(this.#running);
  }

  /** Removes all expired rows. */
  async runAll(): Promise<void> {
    const { client } = this.#statements;
    const subject = { resource: SUBJECT, engine: client.label };
    try {
      for (;;) {
        if ((await this.#removeBatch(subject)) < BATCH || client.closed) break;
        // Lets other statements in between: a process that removes a million rows must not occupy the database.
        await client.sleep(PAUSE_MS);
      }
      await this.#afterwards();
    } catch (error) {
      // No caller waits for the clean-up, and it runs again in an hour.
      client.events.trouble.emit({ kind: SUBJECT, name: '', engine: client.label, error });
    }
  }

  /** Removes one batch, and returns how many rows. 0 if another process is cleaning up, which then removes the rest as well. */
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
      // If the release failed, the end of the connection releases the lock.
      await session.end(how);
    }
  }
}
