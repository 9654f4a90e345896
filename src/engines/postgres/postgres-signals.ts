import type { News } from '../../spi/engine/documents.ts';
import { inTime } from '../../core/async/in-time.ts';
import type { Timer } from '../../spi/clock.ts';
import { EngineError } from '../../spi/errors.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../spi/rule.ts';
import { RowPoller } from '../sql/cells/row-poller.ts';
import type { RowNotice } from '../sql/dialects/dialect.ts';
import type { Schema } from '../sql/cells/schema.ts';
import { nobodyIsDead, type Notified, type ChangeFeed } from '../sql/cells/change-feed.ts';
import type { SqlUnlisten } from '../sql/sql-client.ts';
import type { Statements } from '../sql/cells/statements.ts';
import { Notices } from './notices.ts';

/** How often the rows are looked at by those who wait: seldom while notifications arrive, else often and not in step. */
const SLOW_LOOK_MS = 5000;
export const USUAL_POLL_MS = 60;
/** How often those who watch everything are told that something may have changed while nothing is heard. */
const CHANGES_MS = 1000;
/** A notification to ourselves has so much time to go, and so much to arrive. */
const ECHO_MS = 2000;
/** What a message of this kind begins with; no kind of synchronizer does. */
const ECHO = '!';
/** So long it is listened on when nobody waits any more: the next one may come at once. */
const LINGER_MS = 10_000;
/** After a failure it is looked at rows for so long before listening is tried again. */
const AGAIN_MS = 10_000;
/** The same where nothing was heard: seldom, because each try leaves something behind in a pooler, but a busy server may have been late. */
const DEAF_AGAIN_MS = 300_000;

const DEAF = 'HOLDFAST_NO_NOTIFICATIONS';
/** Once in a process: its engine objects mostly go through the same pooler. */
let hasWarned = false;

export interface PostgresSignalsParts {
  readonly statements: Statements;
  readonly schema: Schema;
  readonly tablePrefix: string;
  readonly pollMs: number;
}

type Told = (changed: { readonly kind: string; readonly name: string } | undefined) => void;

/**
 * Hears of changes by LISTEN, on one connection for all names, for as long as somebody waits. Whether notifications
 * arrive is tried out: behind a pooler that gives every transaction another connection LISTEN succeeds and nothing is
 * ever heard. Then, and where the client cannot listen, the rows are looked at.
 *
 * Nobody waits for the listening to begin: it needs a connection more, which a busy pool or server may not give for long,
 * and meanwhile the rows are looked at as if nothing were ever heard.
 */
export class PostgresSignals implements ChangeFeed {
  readonly #statements: Statements;
  readonly #schema: Schema;
  readonly #tablePrefix: string;
  /** The tags of the names that a client here waits for, and how many waits there are for each. */
  readonly #tags = new Map<string, number>();
  #latestNotices: Notices | undefined;
  /** The channel that is listened on. */
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

  constructor({ statements, schema, tablePrefix, pollMs }: PostgresSignalsParts) {
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
    return nobodyIsDead;
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

  /** Those of the tables as they are now: others have been made if they were dropped meanwhile. */
  #notices(): Notices {
    const secret = this.#schema.secret ?? '';
    if (this.#latestNotices?.secret !== secret) this.#latestNotices = new Notices(secret, this.#tablePrefix);
    return this.#latestNotices;
  }

  /** A message with this tag is opened from now on. */
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

  /** What was changed before the first notification could come is found by a look. */
  #nowHears(): void {
    this.#listens = true;
    this.#rows.look();
    for (const told of this.#changes) told(undefined);
  }

  /** Undefined if it cannot be done: those who wait go on looking at the rows. */
  async #begin(channel: string): Promise<SqlUnlisten | undefined> {
    const { client, sql } = this.#statements;
    let unlisten: SqlUnlisten | undefined;
    try {
      unlisten = await sql.listen!(channel, (payload) => this.#heard(payload));
      if (await this.#hearsItself(channel)) return unlisten;
      // Closing ends the listening: what was not heard then says nothing about messages.
      if (client.closed) return undefined;
      this.#againAt = client.clock.now() + DEAF_AGAIN_MS;
      this.#tellDeaf();
    } catch (error) {
      this.#againAt = client.clock.now() + AGAIN_MS;
      client.events.trouble.emit({ kind: 'listen', name: '', engine: client.label, error });
    }
    // The connection may be the last one of its pool.
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

  #heard(payload: string | undefined): void {
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
    // Nothing of what is not waited for here.
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

  /** Once: it is tried again from time to time, and nobody wants to hear of it each time. */
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
