import { inTime } from '../../core/async/in-time.ts';
import type { Timer } from '../../spi/clock.ts';
import { EngineError } from '../../spi/errors.ts';
import type { Statements } from '../sql/cells/statements.ts';
import type { SqlUnlisten } from '../sql/sql-client.ts';

/** How long a notification to ourselves may take to be sent, and how long to arrive. */
const ECHO_MS = 2000;
/** The first character of such a notification; no kind of synchronizer begins with it. */
const ECHO = '!';
/** How long to keep listening when the last waiter has gone: the next one often comes soon. */
const LINGER_MS = 10_000;
/** How long to poll after a failure before the next try to listen. */
const AGAIN_MS = 10_000;
/**
 * The same where notifications do not arrive: rarely, because each try leaves something behind in a pooler; but again,
 * because a busy server may only have been late.
 */
const DEAF_AGAIN_MS = 300_000;

const DEAF = 'HOLDFAST_NO_NOTIFICATIONS';
/** Once in a process: its engine objects mostly use the same pooler. */
let hasWarned = false;

export interface NotificationListenerParts {
  readonly statements: Statements;
  /** The channel to listen on: another one after the tables were dropped and created again. */
  readonly channel: () => string;
  /** Called with the payload of each notification, and without one after a gap. */
  readonly onPayload: (payload?: string) => void;
  /** Called when notifications begin to arrive. */
  readonly onBegin: () => void;
}

/**
 * Listens on a channel as long as a waiter needs it, on one connection for all names. Tests whether notifications arrive:
 * behind a pooler in transaction mode LISTEN succeeds and no notification ever arrives.
 *
 * No waiter waits for the listening to begin: it needs one more connection, which a busy pool or server may not give
 * for long.
 */
export class NotificationListener {
  readonly #parts: NotificationListenerParts;
  readonly #echoes = new Map<string, () => void>();
  /** The channel we listen on. */
  #channel: string | undefined;
  #waiters = 0;
  #listening: Promise<SqlUnlisten | undefined> | undefined;
  #isHearing = false;
  #hasReported = false;
  #againAt = -Infinity;
  #lingering: Timer | undefined;

  constructor(parts: NotificationListenerParts) {
    this.#parts = parts;
  }

  /** Whether notifications arrive. */
  get isHearing(): boolean {
    return this.#isHearing;
  }

  /** Listens at least until the returned function is called. */
  enter(): () => void {
    this.#waiters++;
    this.#lingering?.cancel();
    if (this.#listening !== undefined && this.#channel !== this.#parts.channel()) this.#stop();
    this.listen();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      if (--this.#waiters === 0) this.#linger();
    };
  }

  /** Begins to listen, unless that is under way, or has failed a moment ago. */
  listen(): void {
    const { client, sql } = this.#parts.statements;
    if (this.#listening !== undefined || sql.listen === undefined) return;
    if (client.clock.now() < this.#againAt) return;
    const channel = this.#parts.channel();
    const listening = this.#begin(channel);
    this.#listening = listening;
    this.#channel = channel;
    void listening.then((unlisten) => {
      if (this.#listening !== listening) return;
      if (unlisten === undefined) {
        this.#listening = undefined;
        return;
      }
      this.#isHearing = true;
      this.#parts.onBegin();
    });
  }

  /** Resolves when it is known whether notifications arrive. */
  async settle(): Promise<void> {
    await this.#listening;
  }

  close(): void {
    this.#lingering?.cancel();
    this.#stop();
  }

  /** Undefined if it fails: the waiters keep polling. */
  async #begin(channel: string): Promise<SqlUnlisten | undefined> {
    const { client, sql } = this.#parts.statements;
    let unlisten: SqlUnlisten | undefined;
    try {
      unlisten = await sql.listen!(channel, (payload) => this.#receive(payload));
      if (await this.#hearsItself(channel)) return unlisten;
      // Closing ends the listening: a missing echo then says nothing about notifications.
      if (client.closed) return undefined;
      this.#againAt = client.clock.now() + DEAF_AGAIN_MS;
      this.#reportDeaf();
    } catch (error) {
      this.#againAt = client.clock.now() + AGAIN_MS;
      client.events.trouble.emit({ kind: 'listen', name: '', engine: client.label, error });
    }
    // Gives the connection back: it may be the last one of its pool.
    unlisten?.();
    return undefined;
  }

  #receive(payload: string | undefined): void {
    if (payload?.startsWith(ECHO) === true) this.#echoes.get(payload)?.();
    else this.#parts.onPayload(payload);
  }

  async #hearsItself(channel: string): Promise<boolean> {
    const { client, sql } = this.#parts.statements;
    const token = `${ECHO}${client.random.id()}`;
    const echo = new Promise<boolean>((resolve) => {
      this.#echoes.set(token, () => resolve(true));
    });
    try {
      const values = [channel, token];
      await inTime(client.clock, sql.query('select pg_notify($1, $2)', values), ECHO_MS, false);
      return await inTime(client.clock, echo, ECHO_MS, false).catch(() => false);
    } finally {
      this.#echoes.delete(token);
    }
  }

  #linger(): void {
    this.#lingering?.cancel();
    this.#lingering = this.#parts.statements.client.clock.timer(LINGER_MS, () => this.#stop());
  }

  #stop(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    this.#isHearing = false;
    void listening?.then((unlisten) => unlisten?.());
  }

  /** Reports it once: listening is tried again from time to time, and each try would repeat the report. */
  #reportDeaf(): void {
    if (this.#hasReported) return;
    this.#hasReported = true;
    const { events, label } = this.#parts.statements.client;
    const text =
      'PostgreSQL: notifications do not arrive, probably because of a pooler between us and the server (PgBouncer with pool_mode = transaction). Waiters look at the rows from time to time instead; give a pool of direct connections to notify them at once.';
    if (!hasWarned) process.emitWarning(text, { type: 'HoldfastWarning', code: DEAF });
    hasWarned = true;
    if (!events.trouble.wanted) return;
    const error = new EngineError(text, { resource: 'listen', engine: label }, { retryable: false });
    events.trouble.emit({ kind: 'listen', name: '', engine: label, error });
  }
}
