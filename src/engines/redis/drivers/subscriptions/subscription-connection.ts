import type { Clock } from '../../../../spi/clock.ts';
import type { SubscriptionMode } from '../../driver.ts';
import { Heartbeat } from './heartbeat.ts';
import type { MessageConnection, MessageEvents } from './message-connection.ts';

/** A channel with a subscriber. */
export interface WantedChannel {
  readonly mode: SubscriptionMode;
  readonly channel: string;
  /** The connection on which the server has confirmed it. */
  link: SubscriptionConnection | undefined;
  /** Whether its `subscribe` has resolved: from then on it is subscribed again after every loss. */
  promised: boolean;
  /** The server that was asked last. */
  askedAt: string | undefined;
}

/** The connection to one server from its opening to its end, and the channels subscribed on it. */
export class SubscriptionConnection {
  readonly topics = new Set<WantedChannel>();
  /** Requested channels, neither confirmed nor refused yet. */
  readonly awaited = new Set<WantedChannel>();
  readonly #lost: () => void;
  readonly #ready: Promise<MessageConnection>;
  /** Rejects each pending step when the connection ends. */
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
    const message: MessageEvents['message'] = (...delivered) => {
      this.#heartbeat?.recordTraffic();
      events.message(...delivered);
    };
    this.#ready = this.#connect(open({ message, trouble: () => this.end() }));
    this.#ready.catch(() => this.end());
  }

  /** Rejects when the connection ends, although the client's own promise may stay pending then. */
  async subscribe(topic: WantedChannel): Promise<void> {
    this.awaited.add(topic);
    try {
      const connection = await this.#beforeEnd(this.#ready);
      await this.#beforeEnd(connection.subscribe(topic.mode, topic.channel));
    } finally {
      this.awaited.delete(topic);
    }
    if (this.#ended) throw wasLost();
    this.#heartbeat?.recordTraffic();
    topic.link = this;
    this.topics.add(topic);
  }

  async unsubscribe(topic: WantedChannel): Promise<void> {
    this.topics.delete(topic);
    try {
      if (this.#connection) await this.#beforeEnd(this.#connection.unsubscribe(topic.mode, topic.channel));
    } catch (error) {
      // The end of the connection has ended its subscriptions too.
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
   * Settles with the outcome of a step, or rejects when the connection ends first.
   *
   * The tempting alternative is `Promise.race` with one promise that rejects at the end. A race leaves a reaction on each of
   * its promises, and that one stays pending for as long as the connection lives: every subscription that a program ever
   * made stayed in memory, 1 KB each (`subscription-leaks.test.ts`).
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
