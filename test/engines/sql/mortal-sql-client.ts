import type {
  SqlClient,
  SqlFailure,
  SqlResult,
  SqlSession,
  SqlValue,
} from '../../../src/engines/sql/sql-client.ts';
import type { Sending } from '../../../src/spi/engine/documents.ts';
import { Mortality } from '../../fixtures/mortality.ts';

class LostReplyError extends Error {}

/** A client that can lose an answer, and that can be cut off for good: nothing goes out any more and nothing comes in. */
export class MortalSqlClient implements SqlClient {
  readonly #inner: SqlClient;
  readonly #sessions = new Set<SqlSession>();
  readonly #mortality = new Mortality(() => new LostReplyError('Connection lost.'));

  constructor(inner: SqlClient) {
    this.#inner = inner;
  }

  /** Loses the answer to the next change; a look is answered. */
  loseNextReply(breaksAfterMs: number): void {
    this.#mortality.loseNextReply(breaksAfterMs);
  }

  silence(): () => void {
    return this.#mortality.silence();
  }

  /** With a process the system ends its connections, and the database what was begun on them. */
  cut(): void {
    this.#mortality.cut();
    for (const session of this.#sessions) void session.end('discard').catch(() => undefined);
  }

  get atOnce(): number | undefined {
    return this.#inner.atOnce;
  }

  async query(text: string, values: readonly SqlValue[], sending?: Sending): Promise<SqlResult> {
    const result = await this.#mortality.whileAlive(() => this.#inner.query(text, values, sending));
    await this.#mortality.unlessSilent(result);
    return /^\s*(select|pragma)\b/i.test(text) ? result : this.#mortality.unlessLost(result);
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
    return session && (() => this.#mortality.whileAlive(async () => this.#mortal(await session())));
  }

  get listen(): SqlClient['listen'] {
    const { listen } = this.#inner;
    if (listen === undefined) return undefined;
    return (channel, heard) =>
      this.#mortality.whileAlive(() =>
        listen(channel, (payload) => {
          if (!this.#mortality.isCut) heard(payload);
        }),
      );
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #mortal(session: SqlSession): SqlSession {
    if (this.#mortality.isCut) void session.end('discard').catch(() => undefined);
    this.#sessions.add(session);
    return {
      query: (text, values) => this.#mortality.whileAlive(() => session.query(text, values)),
      onBroken: (told) => session.onBroken((reason) => void (this.#mortality.isCut || told(reason))),
      onNotice: session.onNotice,
      serverPid: session.serverPid,
      end: (how) => {
        this.#sessions.delete(session);
        return this.#mortality.whileAlive(() => session.end(how));
      },
      native: session.native,
    };
  }
}
