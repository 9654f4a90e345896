import { type Channel, channel } from 'node:diagnostics_channel';
import type { EventMap, HoldfastEvent } from '../spi/synchronizers.ts';
import { withJsonForm } from './json-form.ts';

type EventListener = (event: HoldfastEvent) => void;

/** One kind of event: the listeners of this engine object, and the `node:diagnostics_channel` of all engine objects. */
class EventTopic {
  readonly #channel: Channel;
  readonly #listeners = new Set<EventListener>();
  /** How many there are: asked for with every acquisition, and quicker to read than the size of a set. */
  #count = 0;

  constructor(name: keyof EventMap) {
    this.#channel = channel(`holdfast:${name}`);
  }

  /** Whether building the event is worth it: nothing is built without a listener. */
  get wanted(): boolean {
    return this.#count > 0 || this.#channel.hasSubscribers;
  }

  on(listener: EventListener): () => void {
    this.#listeners.add(listener);
    this.#count = this.#listeners.size;
    return () => {
      this.#listeners.delete(listener);
      this.#count = this.#listeners.size;
    };
  }

  emit(event: HoldfastEvent): void {
    withJsonForm(event);
    this.#channel.publish(event);
    for (const listener of this.#listeners) deliver(listener, event);
  }

  clear(): void {
    this.#listeners.clear();
    this.#count = 0;
  }
}

/** The topics of one engine object. */
export class Events {
  readonly acquire = new EventTopic('acquire');
  readonly release = new EventTopic('release');
  readonly renew = new EventTopic('renew');
  readonly lost = new EventTopic('lost');
  readonly contended = new EventTopic('contended');
  readonly trouble = new EventTopic('trouble');

  /** The topic of that name, or undefined: the name comes from the user. */
  topic(name: string): EventTopic | undefined {
    return Object.hasOwn(this, name) ? this[name as keyof EventMap] : undefined;
  }

  clear(): void {
    for (const topic of Object.values(this)) topic.clear();
  }
}

/** A listener that throws must not stop the keeper or a release; its error surfaces as an uncaught exception of its own. */
function deliver(listener: EventListener, message: HoldfastEvent): void {
  try {
    listener(message);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
