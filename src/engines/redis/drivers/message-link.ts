import type { SubscriptionMode } from '../driver.ts';
import type { MessageConnection, MessageEvents } from './message-connection.ts';

/** A channel that somebody wants. */
export interface Topic {
  readonly mode: SubscriptionMode;
  readonly channel: string;
  /** Where the server has confirmed it. */
  link: MessageLink | undefined;
  /** Whether somebody was told that it is subscribed: then it is our business to keep it so. */
  promised: boolean;
  /** Where it was asked for last. */
  askedAt: string | undefined;
}

/** The connection to one place from its opening to its end, and what is subscribed on it. */
export class MessageLink {
  readonly topics = new Set<Topic>();
  /** Asked for, and neither confirmed nor refused yet. */
  readonly awaited = new Set<Topic>();
  readonly #lost: () => void;
  readonly #ready: Promise<MessageConnection>;
  readonly #end: Promise<never>;
  #rejectEnd: (error: Error) => void = () => undefined;
  #connection: MessageConnection | undefined;
  #ended = false;

  constructor(
    open: (events: MessageEvents) => Promise<MessageConnection>,
    events: { readonly message: MessageEvents['message']; readonly lost: () => void },
  ) {
    this.#lost = events.lost;
    this.#end = new Promise<never>((_resolve, reject) => {
      this.#rejectEnd = reject;
    });
    this.#end.catch(() => undefined);
    this.#ready = this.#connect(open({ message: events.message, trouble: () => this.end() }));
    this.#ready.catch(() => this.end());
  }

  /** Rejects when the link ends, although the client's own promise would stay pending for ever then. */
  async subscribe(topic: Topic): Promise<void> {
    this.awaited.add(topic);
    try {
      const connection = await Promise.race([this.#ready, this.#end]);
      await Promise.race([connection.subscribe(topic.mode, topic.channel), this.#end]);
    } finally {
      this.awaited.delete(topic);
    }
    if (this.#ended) return this.#end;
    topic.link = this;
    this.topics.add(topic);
  }

  async unsubscribe(topic: Topic): Promise<void> {
    this.topics.delete(topic);
    try {
      await Promise.race([this.#connection?.unsubscribe(topic.mode, topic.channel), this.#end]);
    } catch (error) {
      // With the connection everything that was subscribed on it has gone.
      if (!this.#ended) throw error;
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#connection?.close();
    this.#rejectEnd(new Error('The connection for messages was lost.'));
    for (const topic of this.topics) topic.link = undefined;
    this.#lost();
  }

  async #connect(opening: Promise<MessageConnection>): Promise<MessageConnection> {
    const connection = await opening;
    this.#connection = connection;
    if (this.#ended) connection.close();
    else await connection.connect();
    return connection;
  }
}
