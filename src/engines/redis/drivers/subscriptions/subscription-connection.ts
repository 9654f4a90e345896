import type { Clock } from '../../../../spi/clock.ts';
import type { SubscriptionMode } from '../../driver.ts';
import { Heartbeat } from '../heartbeat.ts';
import type { MessageConnection, MessageEvents } from './message-connection.ts';

/** A channel that somebody wants. */
export interface WantedChannel {
  readonly mode: SubscriptionMode;
  readonly channel: string;
  /** Where the server has confirmed it. */
  link: SubscriptionConnection | undefined;
  /** Whether somebody was told that it is subscribed: then it is our business to keep it so. */
  promised: boolean;
  /** Where it was asked for last. */
  askedAt: string | undefined;
}

/** The connection to one place from its opening to its end, and what is subscribed on it. */
export class SubscriptionConnection {
  readonly topics = new Set<WantedChannel>();
  /** Asked for, and neither confirmed nor refused yet. */
  readonly awaited = new Set<WantedChannel>();
  readonly #lost: () => void;
  readonly #ready: Promise<MessageConnection>;
  /** Those who wait for a step on the connection, to be rejected when the link ends. */
  readonly #waiting = new Set<(error: Error) => void>();
  readonly #clock: Clock;
  #heartbeat: Heartbeat | undefined;
  #connection: MessageConnection | undefined;
  #ended = false;

  constructor(
    open: (events: MessageEvents) => Promise<MessageConnection>,
    events: { readonly message: MessageEvents['message']; readonly lost: () => void },
    clock: Clock,
  ) {
    this.#lost = events.lost;
    this.#clock = clock;
    this.#ready = this.#connect(open({ message: events.message, trouble: () => this.end() }));
    this.#ready.catch(() => this.end());
  }

  /** Rejects when the link ends, although the client's own promise may stay pending then. */
  async subscribe(topic: WantedChannel): Promise<void> {
    this.awaited.add(topic);
    try {
      const connection = await this.#beforeEnd(this.#ready);
      await this.#beforeEnd(connection.subscribe(topic.mode, topic.channel));
    } finally {
      this.awaited.delete(topic);
    }
    if (this.#ended) throw wasLost();
    topic.link = this;
    this.topics.add(topic);
  }

  async unsubscribe(topic: WantedChannel): Promise<void> {
    this.topics.delete(topic);
    try {
      if (this.#connection) await this.#beforeEnd(this.#connection.unsubscribe(topic.mode, topic.channel));
    } catch (error) {
      // With the connection everything that was subscribed on it has gone.
      if (!this.#ended) throw error;
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#heartbeat?.stop();
    this.#connection?.close();
    for (const reject of this.#waiting) reject(wasLost());
    this.#waiting.clear();
    for (const topic of this.topics) topic.link = undefined;
    this.#lost();
  }

  /**
   * The outcome of a step, unless the link ends first.
   *
   * The tempting alternative is `Promise.race` with one promise that rejects at the end. A race leaves a reaction on each
   * promise that it was given, and that one stays pending for as long as the connection lives: every subscription of a
   * program's life stayed in memory, 1 KB each (`subscription-leaks.test.ts`).
   */
  #beforeEnd<T>(step: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#ended) reject(wasLost());
      else this.#waiting.add(reject);
      const forget = (): void => void this.#waiting.delete(reject);
      step.then(forget, forget);
      step.then(resolve, reject);
    });
  }

  async #connect(opening: Promise<MessageConnection>): Promise<MessageConnection> {
    const connection = await opening;
    this.#connection = connection;
    if (this.#ended) connection.close();
    else await connection.connect();
    if (!this.#ended) {
      this.#heartbeat = new Heartbeat(
        this.#clock,
        () => connection.ping(),
        () => this.end(),
      );
    }
    return connection;
  }
}

function wasLost(): Error {
  return new Error('The connection for messages was lost.');
}
