import { systemClock } from '../../../../core/time/clock.ts';
import type { Clock } from '../../../../spi/clock.ts';
import type { Subscriber, SubscriberEvents, SubscriptionMode } from '../../driver.ts';
import type { SubscriptionRouting } from './message-connection.ts';
import { SubscriptionConnection, type WantedChannel } from './subscription-connection.ts';
import { type OpenedConnections, reconnectDelayMs } from '../opened-connections.ts';

/** The tries before a subscription rejects: a cluster that has just moved the channel needs the second. */
const TRIES = 3;
/**
 * How long a server may take to confirm a channel. A frozen server accepts connections and never answers, and a subscriber
 * that waited for it would never look for its replacement.
 */
const PATIENCE_MS = 5_000;

/**
 * Keeps subscriptions across connections. Closes a connection at the first sign of trouble, subscribes its channels again at
 * the server they belong to by then, and reports the gap when all are confirmed. One way for a server that restarts, a
 * sentinel's new master, and a slot that moves.
 */
export class Resubscriber implements Subscriber {
  readonly #places: SubscriptionRouting;
  readonly #events: SubscriberEvents;
  readonly #clock: Clock;
  readonly #topics = new Map<string, WantedChannel>();
  readonly #links = new Map<string, SubscriptionConnection>();
  readonly #whenClosed: () => void;
  readonly #stopListening: () => void;
  #isResubscribing = false;
  /** A lost channel belongs to another server than the one that was asked last. */
  #moved = false;
  #endPause: () => void = () => undefined;
  #closed = false;

  constructor(
    places: SubscriptionRouting,
    events: SubscriberEvents,
    whenClosed: () => void,
    clock: Clock = systemClock,
  ) {
    this.#places = places;
    this.#events = events;
    this.#whenClosed = whenClosed;
    this.#clock = clock;
    this.#stopListening = places.onChange(() => this.#reroute());
  }

  async subscribe(mode: SubscriptionMode, channel: string): Promise<void> {
    const id = idOf(mode, channel);
    const topic = this.#topics.get(id) ?? newTopic(mode, channel);
    this.#topics.set(id, topic);
    try {
      await this.#place(topic, TRIES);
    } catch (error) {
      if (!topic.promised && this.#isWanted(topic)) this.#topics.delete(id);
      throw error;
    }
    topic.promised = true;
    // The race: its connection ended between the confirmation and the promise, when no resubscription covered it yet.
    if (topic.link === undefined) void this.#resubscribe();
  }

  async unsubscribe(mode: SubscriptionMode, channel: string): Promise<void> {
    const topic = this.#topics.get(idOf(mode, channel));
    if (topic === undefined) return;
    this.#topics.delete(idOf(mode, channel));
    await topic.link?.unsubscribe(topic);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#topics.clear();
    this.#stopListening();
    this.#endPause();
    for (const link of this.#links.values()) link.end();
    this.#whenClosed();
  }

  /** Subscribes at the right server, and looks for it again if it was the wrong one. */
  async #place(topic: WantedChannel, tries: number): Promise<void> {
    for (let left = tries; ; left -= 1) {
      if (this.#closed) throw new Error('The subscriber is closed.');
      try {
        topic.askedAt = this.#placeOf(topic);
        if (topic.askedAt === undefined)
          throw new Error(`No server is known for ${JSON.stringify(topic.channel)}.`);
        await this.#subscribeInTime(topic, this.#connectTo(topic.askedAt));
        break;
      } catch (error) {
        if (left === 1) throw error;
        await this.#places.look().catch(() => undefined);
      }
    }
    if (this.#isWanted(topic)) return;
    // The race: unsubscribed while this was under way. If another call has subscribed again since, the channel belongs to it.
    if (this.#topics.has(idOf(topic.mode, topic.channel))) topic.link?.topics.delete(topic);
    else await topic.link?.unsubscribe(topic);
  }

  async #subscribeInTime(topic: WantedChannel, link: SubscriptionConnection): Promise<void> {
    const timer = this.#clock.timer(PATIENCE_MS, () => link.end());
    try {
      await link.subscribe(topic);
    } finally {
      timer.cancel();
    }
  }

  #placeOf({ mode, channel }: WantedChannel): string | undefined {
    return this.#places.placeOf(mode, channel);
  }

  #connectTo(place: string): SubscriptionConnection {
    const known = this.#links.get(place);
    if (known !== undefined) return known;
    const link: SubscriptionConnection = new SubscriptionConnection(
      (events) => this.#places.open(place, events),
      {
        message: this.#events.message,
        lost: () => {
          if (this.#links.get(place) === link) this.#links.delete(place);
          if (link.topics.size > 0) void this.#resubscribe();
        },
      },
      this.#clock,
    );
    this.#links.set(place, link);
    return link;
  }

  /** Repeats until every promised channel is subscribed again; then reports the gap, because messages were missed. */
  async #resubscribe(): Promise<void> {
    if (this.#isResubscribing) return;
    this.#isResubscribing = true;
    for (let attempt = 0; !this.#closed; attempt += 1) {
      const lost = [...this.#topics.values()].filter(({ promised, link }) => promised && link === undefined);
      if (lost.length === 0) break;
      if (attempt > 0 && !this.#moved) await this.#pause(reconnectDelayMs(attempt - 1));
      await this.#places.look().catch(() => undefined);
      this.#moved = false;
      // One try each: a frozen server would delay all of them by the patience of each try.
      const placed = await Promise.allSettled(lost.map((topic) => this.#place(topic, 1)));
      // A channel that is refused for long, or whose shard is down, must not hide the gap of the others.
      const some = placed.some(({ status }) => status === 'fulfilled');
      if (some && placed.some(({ status }) => status === 'rejected')) this.#events.gap();
    }
    this.#isResubscribing = false;
    if (!this.#closed) this.#events.gap();
  }

  /** Ends connections to servers that no longer own their channels. */
  #reroute(): void {
    for (const [place, link] of this.#links) {
      // Unconfirmed channels too: their server may never answer.
      if ([...link.topics, ...link.awaited].some((topic) => this.#placeOf(topic) !== place)) link.end();
    }
    // The pause spares a server that has refused. A new server needs no pause.
    const lost = [...this.#topics.values()].filter(({ link }) => link === undefined);
    if (lost.every((topic) => this.#placeOf(topic) === topic.askedAt)) return;
    this.#moved = true;
    this.#endPause();
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.timer(delayMs, resolve);
      this.#endPause = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #isWanted(topic: WantedChannel): boolean {
    return this.#topics.get(idOf(topic.mode, topic.channel)) === topic;
  }
}

function newTopic(mode: SubscriptionMode, channel: string): WantedChannel {
  return { mode, channel, link: undefined, promised: false, askedAt: undefined };
}

function idOf(mode: SubscriptionMode, channel: string): string {
  return `${mode}:${channel}`;
}

/** Opens a subscriber that the driver closes with its other connections. */
export function openSubscriber(
  opened: OpenedConnections,
  routing: SubscriptionRouting,
  events: SubscriberEvents,
): Subscriber {
  const letGo = opened.add(() => subscriber.close());
  const subscriber = new Resubscriber(routing, events, letGo);
  return subscriber;
}
