import type { Client } from '../../../core/client.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { Subscriber, SubscriberEvents, SubscriptionMode } from '../driver.ts';
import { warnOfChannels } from '../diagnostics/channel-warning.ts';
import { channelForbidden, isForbidden } from '../requests/server-errors.ts';
import { ChannelEntry, type MessageListener } from './channel-entry.ts';
import { PatternWatches } from './pattern-watches.ts';

/** How long a subscription outlives its last listener: a hot lock would otherwise subscribe and unsubscribe all the time. */
const LINGER_MS = 1000;
/** The pause before a failed subscription is tried again. */
const AGAIN_MS = 500;

export interface ChannelsOptions {
  readonly client: Client;
  readonly open: (events: SubscriberEvents) => Promise<Subscriber>;
  /** How long a waiter waits for its subscription before it goes on with polling alone. */
  readonly patienceMs: number;
}

/**
 * The subscriptions of this process: one connection for all, opened for the first waiter, each channel subscribed once.
 *
 * A failed subscription stops no waiter: a waiter also polls from time to time, and wakes as soon as the subscription is
 * confirmed, because it may have missed a message (soundness 16).
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

  /** Whether this client receives the messages of a channel. */
  isSubscribed(source: string): boolean {
    return this.#entries.get(source)?.confirmed === true;
  }

  /**
   * Expects the echo of a message of this client, so that it does not count as another client's. Returns how to cancel that
   * if no message was sent; undefined if this client does not receive the channel.
   *
   * Messages carry no sender, because Java reads a number there. The race: if another client's message arrives first, it is
   * dropped as the echo, and the echo is delivered in its place. A waiter wakes all the same, a moment later.
   */
  expectEcho(source: string): (() => void) | undefined {
    const entry = this.#entries.get(source);
    return entry?.confirmed === true ? entry.expectEcho() : undefined;
  }

  /**
   * Whether another client has sent a message since this one last did. False if this client did not listen then. The race: a
   * message sent before ours that arrives after it counts as a later one. The client then yields once too seldom, which costs
   * other clients a turn, never the lock.
   */
  heardOthers(source: string): boolean {
    return this.#entries.get(source)?.heardOthers === true;
  }

  /** The number of listeners of this process. */
  listenerCount(source: string): number {
    return this.#entries.get(source)?.listeners.size ?? 0;
  }

  /** Watches a channel. Rejects if the ACL forbids it: to poll instead would be slow, and hide the reason. */
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

  /** Watches one of many channels by a pattern that all of them match; by its name where the ACL forbids patterns. */
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
      // The subscriber was never open.
    }
  }

  /** Waits for the confirmation, up to `patienceMs`: after that the waiter polls. */
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

  /** Drops the entry, so that the next watcher subscribes again: the ACL may have changed by then. */
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

  /** Warns the process, once, that the ACL forbids to subscribe or publish to a channel. */
  warnOfRefusal(source: string): void {
    if (!this.#hasWarned) warnOfChannels(this.#client, source);
    this.#hasWarned = true;
  }

  async #unsubscribe(entry: ChannelEntry): Promise<void> {
    if (entry.listeners.size > 0 || this.#entries.get(entry.source) !== entry) return;
    this.#entries.delete(entry.source);
    try {
      const subscriber = await this.#openSubscriber();
      // The race: a new listener has subscribed to the channel meanwhile. The subscription belongs to its entry now.
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

  /** Messages may have been missed: every listener looks at the server. */
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
