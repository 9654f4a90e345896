import type {
  SqlClient,
  SqlFailure,
  SqlResult,
  SqlSession,
  SqlValue,
} from '../../../src/engines/sql/sql-client.ts';
import type { Sending } from '../../../src/spi/engine/documents.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

class LostReplyError extends Error {}

/** A client that can lose an answer, and that can be cut off for good: nothing goes out any more and nothing comes in. */
export class MortalSqlClient implements SqlClient {
  readonly #inner: SqlClient;
  readonly #losing: number[] = [];
  readonly #sessions = new Set<SqlSession>();
  #cut = false;
  #silent = false;

  constructor(inner: SqlClient) {
    this.#inner = inner;
  }

  /** The answer to the next change never arrives; after a while the connection breaks, as far as the engine can see. */
  loseNextReply(breaksAfterMs: number): void {
    this.#losing.push(breaksAfterMs);
  }

  /** Nothing that is sent from now on is answered, until what this returns is called. What was sent is carried out. */
  silence(): () => void {
    this.#silent = true;
    return () => {
      this.#silent = false;
    };
  }

  /** With a process the system ends its connections, and the database what was begun on them. */
  cut(): void {
    this.#cut = true;
    for (const session of this.#sessions) void session.end('discard').catch(() => undefined);
  }

  get atOnce(): number | undefined {
    return this.#inner.atOnce;
  }

  async query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult> {
    const result = await this.#alive(() => this.#inner.query(text, values, sending));
    if (this.#silent) return never();
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

  get openSession(): (() => Promise<SqlSession>) | undefined {
    const { openSession: session } = this.#inner;
    return session && (() => this.#alive(async () => this.#mortal(await session())));
  }

  get listen(): SqlClient['listen'] {
    const { listen } = this.#inner;
    if (listen === undefined) return undefined;
    return (channel, heard) =>
      this.#alive(() =>
        listen(channel, (payload) => {
          if (!this.#cut) heard(payload);
        }),
      );
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #mortal(session: SqlSession): SqlSession {
    if (this.#cut) void session.end('discard').catch(() => undefined);
    this.#sessions.add(session);
    return {
      query: (text, values) => this.#alive(() => session.query(text, values)),
      onBroken: (told) => session.onBroken((reason) => void (this.#cut || told(reason))),
      onNotice: session.onNotice,
      serverPid: session.serverPid,
      end: (how) => {
        this.#sessions.delete(session);
        return this.#alive(() => session.end(how));
      },
      native: session.native,
    };
  }

  /**
   * Nothing comes back to a killed client, neither an answer nor an error: the fixture closes its file or pool later, and
   * a statement that was under way then fails in a process that would no longer be there to hear of it.
   */
  async #alive<T>(send: () => Promise<T>): Promise<T> {
    if (this.#cut) return never();
    try {
      const answer = await send();
      return this.#cut ? await never() : answer;
    } catch (error) {
      if (this.#cut) return never();
      throw error;
    }
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
