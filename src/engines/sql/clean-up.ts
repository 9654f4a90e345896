import type { Statements } from './statements.ts';

const SUBJECT = 'clean-up';
/** So many rows go with one statement: a large one would keep others waiting. */
const BATCH = 500;
const HOUR_MS = 60 * 60 * 1000;

/**
 * Removes the rows that nobody needs any more, a few at a time and in passing: a client that does nothing cleans up
 * nothing. The first time is left to chance within the hour, so that processes which start together do not do it together.
 */
export class CleanUp {
  readonly #statements: Statements;
  readonly #afterwards: () => Promise<void> | void;
  #nextAt: number | undefined;
  #under: Promise<void> | undefined;

  constructor(statements: Statements, afterwards: () => Promise<void> | void = () => undefined) {
    this.#statements = statements;
    this.#afterwards = afterwards;
  }

  /** Cleans up in the background if it is time, by the database's clock. */
  perhaps(now: number): void {
    this.#nextAt ??= now + HOUR_MS * this.#statements.client.random.fraction();
    if (now < this.#nextAt) return;
    this.#nextAt = now + HOUR_MS;
    this.#under ??= this.all().finally(() => {
      this.#under = undefined;
    });
    this.#statements.client.background(this.#under);
  }

  /** All that may go. */
  async all(): Promise<void> {
    const { client, dialect } = this.#statements;
    const subject = { resource: SUBJECT, engine: client.label };
    try {
      for (;;) {
        const { changed } = await this.#statements.runInTime(subject, dialect.cleanUp(BATCH));
        if (changed < BATCH || client.closed) break;
      }
      await this.#afterwards();
    } catch (error) {
      // Nobody waits for it, and it is tried again in an hour.
      client.events.trouble.emit({ kind: SUBJECT, name: '', engine: client.label, error });
    }
  }
}
