import type { Client } from '../../../core/client.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { Subscriber, SubscriberEvents, SubscriptionMode } from '../driver.ts';
import { warnOfChannels } from '../diagnostics/channel-warning.ts';
import { channelForbidden, isForbidden } from '../requests/server-errors.ts';
import { ChannelEntry, type MessageListener } from './channel-entry.ts';
import { PatternWatches } from './pattern-watches.ts';

/** A subscription is kept for this long after its last listener has gone: a hot lock would otherwise go in and out. */
const LINGER_MS = 1000;
/** How long until a subscription that failed is tried again. */
const AGAIN_MS = 500;

export interface ChannelsOptions {
  readonly client: Client;
  readonly open: (events: SubscriberEvents) => Promise<Subscriber>;
  /** How long a waiter waits for its subscription before it goes on with polling alone. */
  readonly patienceMs: number;
}

/**
 * What this process hears: one connection for all, opened for the first waiter, each channel subscribed once.
 *
 * A subscription that fails stops no waiter: a waiter also asks again by itself from time to time, and is called as soon as
 * the subscription is there, because it may have missed something (soundness 16).
 */
export class Channels {
  readonly #client: Client;
  readonly #open: ChannelsOptions['open'];
  readonly #patienceMs: number;
  readonly #entries = new Map<string, ChannelEntry>();
  #subscriber: Promise<Subscriber> | undefined;
  readonly #patterns: PatternWatches;
  #hasWarned = false;
  #closed = false;

  constructor({ client, open, patienceMs }: ChannelsOptions) {
    this.#client = client;
    this.#open = open;
    this.#patienceMs = patienceMs;
    this.#patterns = new PatternWatches((...watched) => this.watch(...watched));
  }

  /** Whether a message on this channel comes to us too. */
  isSubscribed(source: string): boolean {
    return this.#entries.get(source)?.confirmed === true;
  }

  /**
   * A message of our own will come back to us, and is not to be taken for another client's. To be taken back if it turns out
   * that none was sent. Undefined if we do not hear this channel.
   *
   * Messages carry nothing that tells them apart, because Java reads a number there. If another one comes first, that one is
   * passed over and our own is heard in its place: a waiter is called all the same, a moment later.
   */
  expectEcho(source: string): (() => void) | undefined {
    const entry = this.#entries.get(source);
    return entry?.confirmed === true ? entry.expectEcho() : undefined;
  }

  /**
   * Whether a message of another client has come since we last sent one. False where we did not listen then. One that was
   * sent before ours and comes after it is taken for a later one: the client then yields once too seldom, and that costs
   * others a turn, never the lock.
   */
  heardOthers(source: string): boolean {
    return this.#entries.get(source)?.heardOthers === true;
  }

  /** How many of this process listen. */
  listenerCount(source: string): number {
    return this.#entries.get(source)?.listeners.size ?? 0;
  }

  /** Rejects if the user of this connection may not hear it: to go on by asking alone would be slow, and tell no reason. */
  async watch(
    mode: SubscriptionMode,
    source: string,
    heard: MessageListener,
    about?: ErrorSubject,
  ): Promise<Unwatch> {
    const entry = this.#entries.get(source) ?? this.#begin(mode, source);
    entry.linger?.cancel();
    entry.linger = undefined;
    entry.listeners.add(heard);
    if (!entry.confirmed) await this.#awaitConfirmation(entry);
    if (entry.refusal !== undefined) {
      const subject = about ?? { resource: `channel ${JSON.stringify(source)}`, engine: this.#client.label };
      throw channelForbidden(entry.refusal, source, subject);
    }
    return () => this.#unwatch(entry, heard);
  }

  /** Watches one of many channels by a pattern that all of them match; by its name where the user may not. */
  watchByPattern(
    pattern: string,
    channel: string,
    heard: (message: string) => void,
    about?: ErrorSubject,
  ): Promise<Unwatch> {
    return this.#patterns.watch(pattern, channel, heard, about);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const entry of this.#entries.values()) entry.linger?.cancel();
    this.#entries.clear();
    try {
      await (await this.#subscriber)?.close();
    } catch {
      // It was never open.
    }
  }

  /** Not for longer than that: a waiter then asks by itself. */
  #awaitConfirmation({ awaited }: ChannelEntry): Promise<void> {
    return new Promise<void>((resolve) => {
      const finish = (): void => {
        timer.cancel();
        awaited.delete(finish);
        resolve();
      };
      const timer = this.#client.clock.timer(this.#patienceMs, finish);
      timer.keepsAlive(true);
      awaited.add(finish);
    });
  }

  #unwatch(entry: ChannelEntry, heard: MessageListener): void {
    entry.listeners.delete(heard);
    if (entry.listeners.size > 0 || entry.linger !== undefined || this.#closed) return;
    entry.linger = this.#client.clock.timer(LINGER_MS, () => void this.#unsubscribe(entry));
  }

  #begin(mode: SubscriptionMode, source: string): ChannelEntry {
    const entry = new ChannelEntry(mode, source);
    this.#entries.set(source, entry);
    void this.#subscribe(entry);
    return entry;
  }

  /** Never rejects. */
  async #subscribe(entry: ChannelEntry): Promise<void> {
    while (this.#entries.get(entry.source) === entry) {
      try {
        const subscriber = await this.#openSubscriber();
        await subscriber.subscribe(entry.mode, entry.source);
        entry.confirmed = true;
        entry.settle();
        entry.tellOfGap();
        return;
      } catch (error) {
        if (isForbidden(error)) return this.#handleRefusal(entry, error);
        this.#reportTrouble(entry.source, error);
        await this.#client.sleep(AGAIN_MS);
        if (this.#client.closed) return;
      }
    }
  }

  /** The next one who wants it asks again: the permission may have been given by then. */
  #handleRefusal(entry: ChannelEntry, error: unknown): void {
    if (this.#entries.get(entry.source) === entry) this.#entries.delete(entry.source);
    if (entry.mode === 'pattern') {
      this.#patterns.forbid();
    } else {
      entry.refusal = error;
      this.#reportTrouble(entry.source, error);
      this.warnOfRefusal(entry.source);
    }
    entry.settle();
  }

  /** The user of this connection may not hear or tell a channel: the process is warned, once. */
  warnOfRefusal(source: string): void {
    if (!this.#hasWarned) warnOfChannels(this.#client, source);
    this.#hasWarned = true;
  }

  async #unsubscribe(entry: ChannelEntry): Promise<void> {
    if (entry.listeners.size > 0 || this.#entries.get(entry.source) !== entry) return;
    this.#entries.delete(entry.source);
    try {
      const subscriber = await this.#openSubscriber();
      // A new listener may have come in between and subscribed it anew: the subscription is that entry's now.
      if (!this.#entries.has(entry.source)) await subscriber.unsubscribe(entry.mode, entry.source);
    } catch {
      // The connection is gone, and the subscription with it.
    }
  }

  #openSubscriber(): Promise<Subscriber> {
    if (this.#subscriber === undefined) {
      const opening = this.#open({ message: this.#deliver, gap: this.#reportGap });
      opening.catch(() => {
        if (this.#subscriber === opening) this.#subscriber = undefined;
      });
      this.#subscriber = opening;
    }
    return this.#subscriber;
  }

  readonly #deliver = (source: string, message: string, channel: string): void => {
    this.#entries.get(source)?.deliver(message, channel);
  };

  /** Messages may have been missed: every listener looks for itself. */
  readonly #reportGap = (): void => {
    for (const entry of this.#entries.values()) {
      entry.echoes = 0;
      entry.tellOfGap();
    }
  };

  #reportTrouble(source: string, error: unknown): void {
    const { events, label } = this.#client;
    if (events.trouble.wanted) events.trouble.emit({ kind: 'channel', name: source, engine: label, error });
  }
}
