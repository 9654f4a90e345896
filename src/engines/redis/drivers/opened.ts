import type { Subscriber, SubscriberEvents } from '../driver.ts';
import type { SubscriptionRouting } from './subscriptions/message-connection.ts';
import { Resubscriber } from './subscriptions/resubscriber.ts';

/** What a driver has opened itself, and so has to close. */
export class OpenedConnections {
  readonly #closers = new Set<() => void | Promise<void>>();
  readonly #closing = new AbortController();

  /** Aborts when it is closed: not every client tells those who wait for it that it will not be ready any more. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Returns how to let go of it again, for whoever has closed it or given it away. */
  add(close: () => void | Promise<void>): () => void {
    this.#closers.add(close);
    return () => this.#closers.delete(close);
  }

  subscriber(places: SubscriptionRouting, events: SubscriberEvents): Subscriber {
    const letGo = this.add(() => subscriber.close());
    const subscriber = new Resubscriber(places, events, letGo);
    return subscriber;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The driver was closed.'));
    await Promise.allSettled([...this.#closers].map(async (close) => close()));
  }
}
