import { NONE_DEAD } from '../../kernels/cells/rule-decisions.ts';
import type { News } from '../../spi/engine/documents.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { DeadOwners, OwnerId } from '../../spi/rule.ts';
import { pollPauseMs } from '../sql/cells/poll-pause.ts';
import { RowPoller } from '../sql/cells/row-poller.ts';
import type { RowNotice } from '../sql/dialects/dialect.ts';
import type { Schema } from '../sql/cells/schema.ts';
import type { ChangeFeed, Notified } from '../sql/cells/change-feed.ts';
import type { Statements } from '../sql/cells/statements.ts';
import { Notices } from './notices.ts';
import { NotificationListener } from './notification-listener.ts';

/**
 * How often waiters poll the rows while notifications arrive; else every `pollMs`. Each time is spread, so that clients
 * do not poll in step.
 */
const SLOW_LOOK_MS = 5000;
export const USUAL_POLL_MS = 60;
/** How often listeners for all changes hear that something may have changed, while no notifications arrive. */
const CHANGES_MS = 1000;

export interface PostgresChangeFeedParts {
  readonly statements: Statements;
  readonly schema: Schema;
  readonly tablePrefix: string;
  readonly pollMs: number;
}

type ChangeListener = (changed: { readonly kind: string; readonly name: string } | undefined) => void;

/**
 * Hears of changes by notifications, as long as an owner waits. Until they arrive, and where they never do, it polls the
 * rows.
 */
export class PostgresChangeFeed implements ChangeFeed {
  readonly #statements: Statements;
  readonly #schema: Schema;
  readonly #tablePrefix: string;
  readonly #listener: NotificationListener;
  readonly #rows: RowPoller;
  /** The tags of the names that owners of this client wait for, and how many wait for each. */
  readonly #tags = new Map<string, number>();
  readonly #changes = new Set<ChangeListener>();
  #latestNotices: Notices | undefined;
  #news: News | undefined;

  constructor({ statements, schema, tablePrefix, pollMs }: PostgresChangeFeedParts) {
    this.#statements = statements;
    this.#schema = schema;
    this.#tablePrefix = tablePrefix;
    this.#listener = new NotificationListener({
      statements,
      channel: () => this.#notices().channel,
      onPayload: (payload) => this.#handle(payload),
      onBegin: () => this.#lookOnce(),
    });
    const { random } = statements.client;
    this.#rows = new RowPoller({
      statements,
      untilNextLookMs: (quietMs) =>
        this.#listener.isHearing
          ? SLOW_LOOK_MS * (0.5 + random.fraction())
          : pollPauseMs(pollMs, quietMs, random.fraction()),
    });
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    const leave = this.#listener.enter();
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

  async changes(told: ChangeListener): Promise<Unwatch> {
    await this.#schema.prepare({ resource: 'inspector', engine: this.#statements.client.label });
    const leave = this.#listener.enter();
    await this.#listener.settle();
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
    this.#listener.close();
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

  /** Reads the rows once: changes before the first notification would be missed otherwise. */
  #lookOnce(): void {
    this.#rows.look();
    for (const told of this.#changes) told(undefined);
  }

  #handle(payload: string | undefined): void {
    if (payload === undefined) {
      this.#rows.wakeAll();
      for (const told of this.#changes) told(undefined);
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
      if (this.#listener.isHearing || client.closed) continue;
      this.#listener.listen();
      for (const told of this.#changes) told(undefined);
    }
  }
}
