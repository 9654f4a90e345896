import type { Client } from '../../../core/client.ts';
import type { Timer } from '../../../spi/clock.ts';
import type { ErrorSubject } from '../../../spi/errors.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { Subscriber, SubscriberEvents, SubscriptionMode } from '../driver.ts';
import { warnOfChannels } from '../diagnostics/channel-warning.ts';
import { channelForbidden, isForbidden } from '../requests/server-errors.ts';

/** A subscription is kept for this long after its last listener has gone: a hot lock would otherwise go in and out. */
const LINGER_MS = 1000;
/** How long until a subscription that failed is tried again. */
const AGAIN_MS = 500;

/** Called with each message. */
export type MessageListener = (message: string, channel: string) => void;

interface ChannelEntry {
  readonly mode: SubscriptionMode;
  readonly source: string;
  readonly listeners: Set<MessageListener>;
  confirmed: boolean;
  /** The user of this connection may not hear it. */
  refusal: unknown;
  /** Those who wait until the server has confirmed or refused it. */
  readonly awaited: Set<() => void>;
  linger: Timer | undefined;
  /** How many messages of our own are on their way back to us. */
  echoes: number;
  /** A message of somebody else has come since we last sent one. */
  heardOthers: boolean;
}

export interface ChannelsOptions {
  readonly client: Client;
  readonly open: (events: SubscriberEvents) => Promise<Subscriber>;
  /** How long a waiter waits for its subscription before it goes on with polling alone. */
  readonly patienceMs: number;
}

/**
 * What this process hears: one connection for all, opened when somebody first waits, each channel subscribed once.
 *
 * A subscription that cannot be had stops nobody: whoever waits also asks again by itself from time to time, and is
 * called as soon as the subscription is there, because it may have missed something (soundness 16).
 */
export class Channels {
  readonly #client: Client;
  readonly #open: ChannelsOptions['open'];
  readonly #patienceMs: number;
  readonly #entries = new Map<string, ChannelEntry>();
  #subscriber: Promise<Subscriber> | undefined;
  #patternsForbidden = false;
  #hasWarned = false;
  /** How those who watch by a pattern can go on by name. */
  readonly #byPattern = new Set<() => Promise<void>>();
  #closed = false;

  constructor({ client, open, patienceMs }: ChannelsOptions) {
    this.#client = client;
    this.#open = open;
    this.#patienceMs = patienceMs;
  }

  /** Whether a message on this channel comes to us too. */
  isSubscribed(source: string): boolean {
    return this.#entries.get(source)?.confirmed === true;
  }

  /**
   * A message of our own will come back to us, and is not to be taken for somebody else's. To be taken back if it turns
   * out that none was sent. Undefined if we do not hear this channel.
   *
   * Messages carry nothing that tells them apart, because Java reads a number there. If another one comes first, that
   * one is passed over and our own is heard in its place: somebody is called all the same, a moment later.
   */
  expectEcho(source: string): (() => void) | undefined {
    const entry = this.#entries.get(source);
    if (entry?.confirmed !== true) return undefined;
    entry.echoes++;
    entry.heardOthers = false;
    return () => {
      if (entry.echoes > 0) entry.echoes--;
    };
  }

  /**
   * Whether a message of somebody else has come since we last sent one. False where we did not listen then. One that was
   * sent before ours and comes after it is taken for a later one: whoever asks stands back once too seldom, and that costs
   * others a turn, never the lock.
   */
  heardOthers(source: string): boolean {
    return this.#entries.get(source)?.heardOthers === true;
  }

  /** How many of this process listen. */
  listening(source: string): number {
    return this.#entries.get(source)?.listeners.size ?? 0;
  }

  /** Rejects if the user of this connection may not hear it: to go on by asking alone would be slow, and tell nobody why. */
  async watch(
    mode: SubscriptionMode,
    source: string,
    heard: MessageListener,
    about?: ErrorSubject,
  ): Promise<Unwatch> {
    const entry = this.#entries.get(source) ?? this.#subscribed(mode, source);
    entry.linger?.cancel();
    entry.linger = undefined;
    entry.listeners.add(heard);
    if (!entry.confirmed) await this.#patiently(entry);
    if (entry.refusal !== undefined) {
      const subject = about ?? { resource: `channel ${JSON.stringify(source)}`, engine: this.#client.label };
      throw channelForbidden(entry.refusal, source, subject);
    }
    return () => this.#unwatch(entry, heard);
  }

  /**
   * Watches one of many channels by a pattern that all of them match, so that one subscription serves all. For a user
   * who may not, by its name: Redis permits a pattern only if the same pattern stands among the user's permissions.
   */
  async watchByPattern(
    pattern: string,
    channel: string,
    heard: (message: string) => void,
    about?: ErrorSubject,
  ): Promise<Unwatch> {
    if (this.#patternsForbidden) return this.watch('channel', channel, heard, about);
    const unwatches: Unwatch[] = [];
    let watching = true;
    const begun = (unwatch: Unwatch): void => void (watching ? unwatches.push(unwatch) : unwatch());
    let named: Promise<void> | undefined;
    const byName = (): Promise<void> => (named ??= this.watch('channel', channel, heard, about).then(begun));
    this.#byPattern.add(byName);
    const listener: MessageListener = (message, to) => {
      if (to === channel || to === '') heard(message);
    };
    begun(await this.watch('pattern', pattern, listener));
    // It may turn out later, too: whoever waits has then stopped waiting for its subscription, and not for the lock.
    const unwatchAll = (): void => {
      watching = false;
      this.#byPattern.delete(byName);
      for (const unwatch of unwatches) unwatch();
    };
    try {
      if (this.#patternsForbidden) await byName();
    } catch (error) {
      unwatchAll();
      throw error;
    }
    return unwatchAll;
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

  /** Not for longer than that: whoever waits then asks by itself. */
  #patiently({ awaited }: ChannelEntry): Promise<void> {
    return new Promise<void>((resolve) => {
      const done = (): void => {
        timer.cancel();
        awaited.delete(done);
        resolve();
      };
      const timer = this.#client.clock.timer(this.#patienceMs, done);
      timer.keepsAlive(true);
      awaited.add(done);
    });
  }

  #unwatch(entry: ChannelEntry, heard: MessageListener): void {
    entry.listeners.delete(heard);
    if (entry.listeners.size > 0 || entry.linger !== undefined || this.#closed) return;
    entry.linger = this.#client.clock.timer(LINGER_MS, () => void this.#unsubscribe(entry));
  }

  #subscribed(mode: SubscriptionMode, source: string): ChannelEntry {
    const entry: ChannelEntry = {
      mode,
      source,
      listeners: new Set(),
      confirmed: false,
      refusal: undefined,
      awaited: new Set(),
      linger: undefined,
      echoes: 0,
      heardOthers: false,
    };
    this.#entries.set(source, entry);
    void this.#subscribe(entry);
    return entry;
  }

  /** Never rejects. */
  async #subscribe(entry: ChannelEntry): Promise<void> {
    while (this.#entries.get(entry.source) === entry) {
      try {
        const subscriber = await this.#connected();
        await subscriber.subscribe(entry.mode, entry.source);
        entry.confirmed = true;
        settle(entry);
        this.#tell(entry);
        return;
      } catch (error) {
        if (isForbidden(error)) return this.#forbidden(entry, error);
        this.#trouble(entry.source, error);
        await this.#client.sleep(AGAIN_MS);
        if (this.#client.closed) return;
      }
    }
  }

  /** The next one who wants it asks again: the permission may have been given by then. */
  #forbidden(entry: ChannelEntry, error: unknown): void {
    if (this.#entries.get(entry.source) === entry) this.#entries.delete(entry.source);
    if (entry.mode === 'pattern') {
      this.#patternsForbidden = true;
      // Whoever waits for it is told by the promise that it waits for; others have gone on by asking.
      for (const byName of this.#byPattern) byName().catch(() => undefined);
      this.#byPattern.clear();
    } else {
      entry.refusal = error;
      this.#trouble(entry.source, error);
      this.refused(entry.source);
    }
    settle(entry);
  }

  /** The user of this connection may not hear or tell a channel: the process is warned, once. */
  refused(source: string): void {
    if (!this.#hasWarned) warnOfChannels(this.#client, source);
    this.#hasWarned = true;
  }

  async #unsubscribe(entry: ChannelEntry): Promise<void> {
    if (entry.listeners.size > 0 || this.#entries.get(entry.source) !== entry) return;
    this.#entries.delete(entry.source);
    try {
      const subscriber = await this.#connected();
      // Somebody may have come in between and subscribed it anew: leave it to them.
      if (!this.#entries.has(entry.source)) await subscriber.unsubscribe(entry.mode, entry.source);
    } catch {
      // The connection is gone, and the subscription with it.
    }
  }

  #connected(): Promise<Subscriber> {
    if (this.#subscriber === undefined) {
      const opening = this.#open({ message: this.#message, gap: this.#gap });
      opening.catch(() => {
        if (this.#subscriber === opening) this.#subscriber = undefined;
      });
      this.#subscriber = opening;
    }
    return this.#subscriber;
  }

  readonly #message = (source: string, message: string, channel: string): void => {
    const entry = this.#entries.get(source);
    if (entry === undefined) return;
    if (entry.echoes > 0) {
      entry.echoes--;
      return;
    }
    entry.heardOthers = true;
    for (const listener of entry.listeners) listener(message, channel);
  };

  /** Messages may have been missed: everybody looks for themselves. */
  readonly #gap = (): void => {
    for (const entry of this.#entries.values()) {
      entry.echoes = 0;
      this.#tell(entry);
    }
  };

  #tell(entry: ChannelEntry): void {
    for (const listener of entry.listeners) listener('', '');
  }

  #trouble(source: string, error: unknown): void {
    const { events, label } = this.#client;
    if (events.trouble.wanted) events.trouble.emit({ kind: 'channel', name: source, engine: label, error });
  }
}

function settle({ awaited }: ChannelEntry): void {
  for (const done of awaited) done();
}
