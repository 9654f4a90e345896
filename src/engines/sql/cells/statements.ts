import { explainedFor, SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import { inTime, NoAnswerError } from '../../../core/async/in-time.ts';
import { type Client, closedError } from '../../../core/client.ts';
import { type ErrorSubject, isHoldfastError } from '../../../spi/errors.ts';
import type { Dialect, Statement } from '../dialects/dialect.ts';
import type { Sending } from '../../../spi/engine/documents.ts';
import { sessionInTime } from '../session-in-time.ts';
import type { SqlClient, SqlFailure, SqlResult, SqlSession } from '../sql-client.ts';
import { refused } from '../sql-errors.ts';

/** The pause before a rolled-back statement is repeated: this at first, then doubled, up to the longest. */
const AGAIN_MS = 0.5;
const LONGEST_AGAIN_MS = 16;

const DECIDED: ReadonlySet<SqlFailure> = new Set(['final', 'denied', 'read-only', 'full']);

export interface StatementsOptions {
  readonly client: Client;
  readonly sql: SqlClient;
  readonly dialect: Dialect;
  readonly commandTimeoutMs: number;
}

/** Sends statements, and repeats those that the database has rolled back: no caller needs to know of deadlocks. */
export class Statements {
  readonly client: Client;
  readonly sql: SqlClient;
  readonly dialect: Dialect;
  readonly #commandTimeoutMs: number;

  constructor({ client, sql, dialect, commandTimeoutMs }: StatementsOptions) {
    this.client = client;
    this.sql = sql;
    this.dialect = dialect;
    this.#commandTimeoutMs = commandTimeoutMs;
  }

  /**
   * Sends a statement. Rejects with a decided error if it would fail again, and with the client's own error if the outcome is
   * unknown: the caller that numbered the request settles that. Without a subject a decided error is a
   * {@link SharedFailure}.
   */
  async run(
    subject: ErrorSubject | undefined,
    { text, values }: Statement,
    sending?: Sending,
  ): Promise<SqlResult> {
    // The caller of a statement that has been in flight for so long has repeated it, or given up.
    this.sql.abandonAfter?.(this.#commandTimeoutMs);
    const since = this.client.clock.now();
    try {
      return await this.sql.query(text, values, sending);
    } catch (error) {
      return this.#repeatAfter(subject, () => this.sql.query(text, values, sending), error, since);
    }
  }

  /** The same with a time-out, for callers without one of their own. */
  runInTime(subject: ErrorSubject | undefined, statement: Statement): Promise<SqlResult> {
    return this.inTime(this.run(subject, statement));
  }

  inTime<T>(step: Promise<T>): Promise<T> {
    return inTime(this.client.clock, step, this.#commandTimeoutMs);
  }

  /** Opens a connection of our own. Only for clients that can lend one. */
  openSession(): Promise<SqlSession> {
    return sessionInTime(this.client.clock, this.sql.openSession!(), this.#commandTimeoutMs);
  }

  /** Sends several statements of one transaction, and repeats all of them when the database rolls it back. */
  async runTogether<T>(subject: ErrorSubject, send: () => Promise<T>): Promise<T> {
    const since = this.client.clock.now();
    try {
      return await send();
    } catch (error) {
      return this.#repeatAfter(subject, send, error, since);
    }
  }

  /** Counts the time from the first try: a statement that the server has ended at its limit is not repeated. */
  async #repeatAfter<T>(
    subject: ErrorSubject | undefined,
    send: () => Promise<T>,
    first: unknown,
    since: number,
  ): Promise<T> {
    const { clock, random } = this.client;
    const until = since + this.#commandTimeoutMs;
    let error = first;
    for (let tries = 0; ; tries++) {
      const failure = this.failureOf(error);
      if (DECIDED.has(failure)) throw this.#decided(failure, error, subject);
      if (failure !== 'again' || clock.now() >= until) throw error;
      if (clock.now() >= until - this.#commandTimeoutMs / 2) this.#throwIfExplained(failure, error, subject);
      const patienceMs = Math.min(AGAIN_MS * 2 ** tries, LONGEST_AGAIN_MS);
      await this.#pause(patienceMs * (0.5 + random.fraction()));
      try {
        return await send();
      } catch (again) {
        error = again;
      }
    }
  }

  /** Throws an error that the client can explain: such a cause does not pass by itself, so to repeat it is in vain. */
  #throwIfExplained(failure: SqlFailure, error: unknown, subject: ErrorSubject | undefined): void {
    if (this.sql.explain?.(error) !== undefined) throw this.#decided(failure, error, subject);
  }

  failureOf(error: unknown): SqlFailure {
    if (error instanceof NoAnswerError) return 'unknown';
    return isHoldfastError(error) ? 'final' : this.sql.failure(error);
  }

  #decided(failure: SqlFailure, error: unknown, subject: ErrorSubject | undefined): unknown {
    if (isHoldfastError(error)) return subject === undefined ? error : explainedFor(subject, error);
    const shared = new SharedFailure(
      (about) => {
        // The client's error is about connections that were closed meanwhile.
        if (this.client.closed && failure === 'final') return closedError(about);
        return refused(this.dialect.engine, failure, error, this.sql.explain?.(error), about);
      },
      { cause: error },
    );
    return subject === undefined ? shared : shared.explainedFor(subject);
  }

  /** Pauses by the clock. The client's own sleep ends at once when it closes, and a closing client still has to release its holds. */
  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.client.clock.timer(ms, resolve).keepsAlive(true);
    });
  }
}
