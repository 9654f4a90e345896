import type { SqlResult, SqlSession, SqlValue } from '../../sql-client.ts';
import { SqlError } from '../errors/sql-error.ts';

/** A connection that a pool has lent us, in the client's own terms. */
export interface LentConnection {
  /** `often`: whether the statement is worth preparing on the server. */
  query(text: string, values: readonly SqlValue[], often: boolean): Promise<SqlResult>;
  /**
   * Calls when the connection has broken, perhaps more than once. Must be called first of all, or an early error would
   * end the process.
   */
  onBroken(told: (reason: unknown) => void): () => void;
  onNotice?: ((told: (channel: string, payload: string) => void) => () => void) | undefined;
  /** Gives the connection back, or closes it. Closing also cancels, in the server, a statement that is under way. */
  end(how: 'reuse' | 'discard'): void;
  readonly native: unknown;
  readonly serverPid?: number | undefined;
}

/**
 * A borrowed connection for as long as it is needed. Once broken it stays broken: no client may reconnect behind our
 * back.
 */
export class LentSession implements SqlSession {
  readonly native: unknown;
  readonly onNotice: SqlSession['onNotice'];
  readonly serverPid: number | undefined;
  readonly #lent: LentConnection;
  readonly #unlisten: () => void;
  readonly #told = new Set<(reason: unknown) => void>();
  #state: 'open' | 'broken' | 'ended' = 'open';
  #reason: unknown;

  constructor(lent: LentConnection) {
    this.#lent = lent;
    this.native = lent.native;
    this.onNotice = lent.onNotice;
    this.serverPid = lent.serverPid;
    this.#unlisten = lent.onBroken((reason) => this.#break(reason));
  }

  query(text: string, values: readonly SqlValue[]): Promise<SqlResult> {
    if (this.#state !== 'open') {
      const what = this.#state === 'broken' ? 'has broken' : 'was given back';
      return Promise.reject(new SqlError(`this connection ${what}`, 'unreachable', undefined));
    }
    return this.#lent.query(text, values, false);
  }

  onBroken(told: (reason: unknown) => void): () => void {
    if (this.#state === 'broken') {
      // In a later microtask: the caller has not stored the result of this call yet.
      queueMicrotask(() => told(this.#reason));
      return () => undefined;
    }
    this.#told.add(told);
    return () => void this.#told.delete(told);
  }

  async end(how: 'reuse' | 'discard'): Promise<void> {
    if (this.#state === 'ended') return;
    const broken = this.#state === 'broken';
    this.#state = 'ended';
    this.#told.clear();
    this.#lent.end(broken ? 'discard' : how);
    this.#unlisten();
  }

  #break(reason: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = 'broken';
    this.#reason = reason;
    const told = [...this.#told];
    this.#told.clear();
    for (const call of told) call(reason);
  }
}
