import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { Client } from '../../../core/client.ts';
import type { SubscriptionMode } from '../driver.ts';
import type { Channels } from '../messages/channels.ts';
import { CrowdWatch, type CrowdChannels, type ListeningPlace, type Told } from './crowd-watch.ts';

/** Remembers so many names for which the server has last told this client to listen on a channel of its own. */
const KEPT = 1000;

/**
 * Where the waiters of this client listen for the releases of plain locks: on the channel of the lock, as Redisson's do, or, where
 * many clients wait, on a channel of the client. The server says which with each refusal.
 */
export class CrowdWatches {
  readonly #client: Client;
  readonly #channels: Channels;
  readonly #watches = new Map<string, Set<CrowdWatch>>();
  /** Where the server has last told this client to listen, if not on the channel of the lock: its next waiter begins there. */
  readonly #told = new Map<string, ListeningPlace>();

  /** Names that this client holds, or held last, beside a crowd: each release looks for a client to wake. */
  readonly #beside = new Set<string>();

  constructor(client: Client, channels: Channels) {
    this.#client = client;
    this.#channels = channels;
  }

  /** Counts an attempt at the name by a waiter of this client. Whether it asks the server where to listen. */
  asksWhere(name: string): boolean {
    let asks = false;
    for (const watch of this.#watches.get(name) ?? []) asks = watch.asksWhere() || asks;
    return asks;
  }

  /** Whether this client may stand in the crowd: a waiter listens on its own channel, and the server has confirmed that. */
  mayEnter(name: string, own: string): boolean {
    if (!this.#channels.isSubscribed(own)) return false;
    return [...(this.#watches.get(name) ?? [])].some((watch) => watch.listensOn('own'));
  }

  /** How many waiters of this client watch the name. */
  count(name: string): number {
    return this.#watches.get(name)?.size ?? 0;
  }

  /** Since when this client waits in the crowd, by the server's clock; 0 before it does. */
  sinceMs(name: string): number {
    for (const watch of this.#watches.get(name) ?? []) if (watch.sinceMs > 0) return watch.sinceMs;
    return 0;
  }

  async watch(
    mode: SubscriptionMode,
    name: string,
    channels: CrowdChannels,
    heard: () => void,
    about: ErrorSubject,
  ): Promise<Unwatch> {
    const watch = new CrowdWatch({
      client: this.#client,
      listen: (source) => this.#channels.watch(mode, source, heard, about),
      isConfirmed: (source) => this.#channels.isSubscribed(source),
      channels,
      heard,
    });
    const isKnown = this.#told.get(name) !== undefined || this.#channels.isSubscribed(channels.own);
    const watches = this.#watches.get(name) ?? new Set();
    this.#watches.set(name, watches.add(watch));
    const unwatch = (): void => {
      watch.end();
      watches.delete(watch);
      if (watches.size > 0) return;
      if (this.#watches.get(name) === watches) this.#watches.delete(name);
    };
    try {
      // The permission of this user may name the channel of the lock alone.
      await (isKnown ? watch.begin('own').catch(() => watch.begin('lock')) : watch.begin('lock'));
    } catch (error) {
      unwatch();
      throw error;
    }
    return unwatch;
  }

  /** Notes whether the server saw a crowd when it granted the name to this client. */
  noteGrant(name: string, beside: boolean): void {
    if (beside) {
      if (this.#beside.size >= KEPT) this.#beside.clear();
      this.#beside.add(name);
    } else if (this.#beside.size > 0) this.#beside.delete(name);
  }

  /** Whether the latest grant of the name to this client saw a crowd. */
  isBeside(name: string): boolean {
    return this.#beside.size > 0 && this.#beside.has(name);
  }

  /** Follows what the server said at `nowMs` with a refusal. */
  follow(name: string, told: Told, nowMs: number): void {
    const { where } = told;
    for (const watch of this.#watches.get(name) ?? []) watch.move(told, nowMs);
    if (where === 'lock') {
      this.#told.delete(name);
      return;
    }
    if (this.#told.size >= KEPT) this.#told.clear();
    this.#told.set(name, where);
  }
}
