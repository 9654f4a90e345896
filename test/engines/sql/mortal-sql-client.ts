import type {
  SqlClient,
  SqlFailure,
  SqlResult,
  SqlSession,
  SqlValue,
} from '../../../src/engines/sql/sql-client.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

class LostReplyError extends Error {}

/** A client that can lose an answer, and that can be cut off for good: nothing goes out any more and nothing comes in. */
export class MortalSqlClient implements SqlClient {
  readonly #inner: SqlClient;
  readonly #losing: number[] = [];
  #cut = false;

  constructor(inner: SqlClient) {
    this.#inner = inner;
  }

  /** The answer to the next change never arrives; after a while the connection breaks, as far as the engine can see. */
  loseNextReply(breaksAfterMs: number): void {
    this.#losing.push(breaksAfterMs);
  }

  cut(): void {
    this.#cut = true;
  }

  async query(text: string, values: readonly SqlValue[]): Promise<SqlResult> {
    if (this.#cut) return never();
    const result = await this.#inner.query(text, values);
    if (this.#cut) return never();
    return /^\s*(select|pragma)\b/i.test(text) ? result : this.#arriving(result);
  }

  abandonAfter(ms: number): void {
    this.#inner.abandonAfter?.(ms);
  }

  failure(error: unknown): SqlFailure {
    return error instanceof LostReplyError ? 'unknown' : this.#inner.failure(error);
  }

  explain(error: unknown): string | undefined {
    return this.#inner.explain?.(error);
  }

  get session(): (() => Promise<SqlSession>) | undefined {
    const { session } = this.#inner;
    return session === undefined || !this.#cut ? session : never;
  }

  get listen(): SqlClient['listen'] {
    const { listen } = this.#inner;
    if (listen === undefined) return undefined;
    return (channel, heard) =>
      listen(channel, (payload) => {
        if (!this.#cut) heard(payload);
      });
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #arriving<T>(answer: T): Promise<T> {
    const breaksAfterMs = this.#losing.shift();
    if (breaksAfterMs === undefined) return answer;
    await new Promise((resolve) => {
      setTimeout(resolve, breaksAfterMs);
    });
    throw new LostReplyError('Connection lost.');
  }
}
