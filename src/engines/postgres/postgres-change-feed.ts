import { NONE_DEAD } from '../../kernels/cells/rule-decisions.ts';
import type { News } from '../../spi/engine/documents.ts';
import { inTime } from '../../core/async/in-time.ts';
import type { Timer } from '../../spi/clock.ts';
import { EngineError } from '../../spi/errors.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../spi/rule.ts';
import { RowPoller } from '../sql/cells/row-poller.ts';
import type { RowNotice } from '../sql/dialects/dialect.ts';
import type { Schema } from '../sql/cells/schema.ts';
import type { ChangeFeed, Notified } from '../sql/cells/change-feed.ts';
import type { SqlUnlisten } from '../sql/sql-client.ts';
import type { Statements } from '../sql/cells/statements.ts';
import { Notices } from './notices.ts';

/**
 * How often waiters poll the rows while notifications arrive; else every `pollMs`. Each time is spread, so that clients
 * do not poll in step.
 */
const SLOW_LOOK_MS = 5000;
export const USUAL_POLL_MS = 60;
/** How often listeners for all changes hear that something may have changed, while no notifications arrive. */
const CHANGES_MS = 1000;
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

export interface PostgresChangeFeedParts {
  readonly statements: Statements;
  readonly schema: Schema;
  readonly tablePrefix: string;
  readonly pollMs: number;
}

type Told = (changed: { readonly kind: string; readonly name: string } | undefined) => void;

/**
 * Hears of changes by LISTEN, on one connection for all names, as long as an owner waits. Tests whether notifications
 * arrive: behind a pooler in transaction mode LISTEN succeeds and no notification ever arrives. Then, and where the
 * client cannot listen, it polls the rows.
 *
 * No waiter waits for the listening to begin: it needs one more connection, which a busy pool or server may not give
 * for long, and until then the rows are polled.
 */
export class PostgresChangeFeed implements ChangeFeed {
  readonly #statements: Statements;
  readonly #schema: Schema;
  readonly #tablePrefix: string;
  /** The tags of the names that owners of this client wait for, and how many wait for each. */
  readonly #tags = new Map<string, number>();
  #latestNotices: Notices | undefined;
  /** The channel we listen on. */
  #channel: string | undefined;
  readonly #rows: RowPoller;
  readonly #changes = new Set<Told>();
  readonly #echoes = new Map<string, () => void>();
  #news: News | undefined;
  #waiters = 0;
  #listening: Promise<SqlUnlisten | undefined> | undefined;
  #listens = false;
  #hasTold = false;
  #againAt = -Infinity;
  #lingering: Timer | undefined;

  constructor({ statements, schema, tablePrefix, pollMs }: PostgresChangeFeedParts) {
    this.#statements = statements;
    this.#schema = schema;
    this.#tablePrefix = tablePrefix;
    const { random } = statements.client;
    this.#rows = new RowPoller({
      statements,
      untilNextLookMs: () => (this.#listens ? SLOW_LOOK_MS : pollMs) * (0.5 + random.fraction()),
    });
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const leave = this.#enter();
    const forget = this.#expect(this.#notices().tagOf(kind, name));
    try {
      const unwatch = await this.#rows.watch(kind, name, owner, heard);
      return () => {
        unwatch();
        forget();
        leave();
      };
    } catch (error) {
      forget();
      leave();
      throw error;
    }
  }

  notice(change: Notified): RowNotice {
    const notices = this.#notices();
    return { channel: notices.channel, payload: notices.sealed(change) };
  }

  watching(kind: string, name: string): number {
    return this.#rows.watching(kind, name);
  }

  seen(kind: string, name: string): string | undefined {
    return this.#rows.seen(kind, name);
  }

  dead(): DeadOwners {
    return NONE_DEAD;
  }

  async changes(told: Told): Promise<Unwatch> {
    await this.#schema.ready({ resource: 'inspector', engine: this.#statements.client.label });
    const leave = this.#enter();
    await this.#listening;
    this.#changes.add(told);
    if (this.#changes.size === 1) this.#statements.client.background(this.#tellNowAndThen());
    return () => {
      if (this.#changes.delete(told)) leave();
    };
  }

  news(heard: News): void {
    this.#news = heard;
  }

  close(): void {
    this.#lingering?.cancel();
    this.#stop();
  }

  /** The notices of the current tables: these have a new secret if they were dropped and created again. */
  #notices(): Notices {
    const secret = this.#schema.secret ?? '';
    if (this.#latestNotices?.secret !== secret) this.#latestNotices = new Notices(secret, this.#tablePrefix);
    return this.#latestNotices;
  }

  /** From now on messages with this tag are decrypted. */
  #expect(tag: string): () => void {
    this.#tags.set(tag, (this.#tags.get(tag) ?? 0) + 1);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const left = this.#tags.get(tag)! - 1;
      if (left === 0) this.#tags.delete(tag);
      else this.#tags.set(tag, left);
    };
  }

  #enter(): () => void {
    this.#waiters++;
    this.#lingering?.cancel();
    if (this.#listening !== undefined && this.#channel !== this.#notices().channel) this.#stop();
    this.#listen();
    let over = false;
    return () => {
      if (over) return;
      over = true;
      if (--this.#waiters === 0) this.#linger();
    };
  }

  #listen(): void {
    if (this.#listening !== undefined || this.#statements.sql.listen === undefined) return;
    if (this.#statements.client.clock.now() < this.#againAt) return;
    const { channel } = this.#notices();
    const listening = this.#begin(channel);
    this.#listening = listening;
    this.#channel = channel;
    void listening.then((unlisten) => {
      if (this.#listening !== listening) return;
      if (unlisten === undefined) this.#listening = undefined;
      else this.#nowHears();
    });
  }

  /** Reads the rows once: changes before the first notification would be missed otherwise. */
  #nowHears(): void {
    this.#listens = true;
    this.#rows.look();
    for (const told of this.#changes) told(undefined);
  }

  /** Undefined if it fails: the waiters keep polling. */
  async #begin(channel: string): Promise<SqlUnlisten | undefined> {
    const { client, sql } = this.#statements;
    let unlisten: SqlUnlisten | undefined;
    try {
      unlisten = await sql.listen!(channel, (payload) => this.#handle(payload));
      if (await this.#hearsItself(channel)) return unlisten;
      // Closing ends the listening: a missing echo then says nothing about notifications.
      if (client.closed) return undefined;
      this.#againAt = client.clock.now() + DEAF_AGAIN_MS;
      this.#tellDeaf();
    } catch (error) {
      this.#againAt = client.clock.now() + AGAIN_MS;
      client.events.trouble.emit({ kind: 'listen', name: '', engine: client.label, error });
    }
    // Gives the connection back: it may be the last one of its pool.
    unlisten?.();
    return undefined;
  }

  async #hearsItself(channel: string): Promise<boolean> {
    const { client, sql } = this.#statements;
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

  #handle(payload: string | undefined): void {
    if (payload === undefined) {
      this.#rows.everybody();
      for (const told of this.#changes) told(undefined);
      return;
    }
    if (payload.startsWith(ECHO)) {
      this.#echoes.get(payload)?.();
      return;
    }
    const [tag = '', sealed = '', at] = payload.split(' ');
    if (this.#changes.size === 0 && !this.#tags.has(tag)) return;
    const notice = this.#notices().opened(sealed);
    if (notice === undefined) return;
    const { kind, name, wake, version, document } = notice;
    // Passes on only what an owner of this client waits for.
    if (document !== undefined && this.#rows.watching(kind, name) > 0)
      this.#news?.(kind, name, version, document, Number(at));
    this.#rows.tell(kind, name, wake);
    for (const told of this.#changes) told({ kind, name });
  }

  async #tellNowAndThen(): Promise<void> {
    const { client } = this.#statements;
    while (this.#changes.size > 0 && !client.closed) {
      await client.sleep(CHANGES_MS);
      if (this.#listens || client.closed) continue;
      this.#listen();
      for (const told of this.#changes) told(undefined);
    }
  }

  #linger(): void {
    this.#lingering?.cancel();
    this.#lingering = this.#statements.client.clock.timer(LINGER_MS, () => this.#stop());
  }

  #stop(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    this.#listens = false;
    void listening?.then((unlisten) => unlisten?.());
  }

  /** Reports it once: listening is tried again from time to time, and each try would repeat the report. */
  #tellDeaf(): void {
    if (this.#hasTold) return;
    this.#hasTold = true;
    const { events, label } = this.#statements.client;
    const text =
      'PostgreSQL: notifications do not arrive, probably because of a pooler between us and the server (PgBouncer with pool_mode = transaction). Waiters look at the rows from time to time instead; give a pool of direct connections to notify them at once.';
    if (!hasWarned) process.emitWarning(text, { type: 'HoldfastWarning', code: DEAF });
    hasWarned = true;
    if (!events.trouble.wanted) return;
    const error = new EngineError(text, { resource: 'listen', engine: label }, { retryable: false });
    events.trouble.emit({ kind: 'listen', name: '', engine: label, error });
  }
}
