import { type Channel, channel } from 'node:diagnostics_channel';
import type { EventMap, HoldfastEvent } from '../spi/synchronizers.ts';

type Listener = (event: HoldfastEvent) => void;

/** `node:diagnostics_channel` channels, for tracing every engine object of the process at once. */
const channels: { readonly [E in keyof EventMap]: Channel } = {
  acquire: channel('holdfast:acquire'),
  release: channel('holdfast:release'),
  renew: channel('holdfast:renew'),
  lost: channel('holdfast:lost'),
  contended: channel('holdfast:contended'),
  trouble: channel('holdfast:trouble'),
};

/** Tells those who listen. Nothing is built when nobody does. */
export class Events {
  readonly #listeners = new Map<keyof EventMap, Set<Listener>>();

  on(event: keyof EventMap, listener: Listener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(event);
    };
  }

  /** Whether building the event is worth it. */
  wanted(event: keyof EventMap): boolean {
    return channels[event].hasSubscribers || (this.#listeners.size > 0 && this.#listeners.has(event));
  }

  emit(event: keyof EventMap, message: HoldfastEvent): void {
    channels[event].publish(message);
    for (const listener of this.#listeners.get(event) ?? []) deliver(listener, message);
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** A listener that throws must not stop the keeper or a release; its error surfaces as an uncaught exception of its own. */
function deliver(listener: Listener, message: HoldfastEvent): void {
  try {
    listener(message);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
