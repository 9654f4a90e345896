import type { SubscriberEvents, SubscriptionMode } from '../../driver.ts';

/**
 * A connection that hears messages, to one server, made for one life: it does not reconnect. The clients would do that,
 * and subscribe again too, but most of them tell nobody when they have, and lose count when a cluster moves a channel.
 */
export interface MessageConnection {
  connect(): Promise<void>;
  /** Resolves once the server has confirmed it. May never settle if there is trouble before that. */
  subscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  unsubscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  /** Asks the server for a sign of life. Settles with any answer, also a refusal; not at all if none comes. */
  ping(): Promise<unknown>;
  close(): void;
}

export interface MessageEvents {
  readonly message: SubscriberEvents['message'];
  /** It is gone, or the server has dropped a channel, or the client has lost count: of no use any more. */
  readonly trouble: () => void;
}

/** Where messages are to be had: the one server, or the right one of a cluster. */
export interface SubscriptionRouting {
  /** The server to ask for a channel, if one is known. */
  placeOf(mode: SubscriptionMode, channel: string): string | undefined;
  /** Finds out anew who is where. */
  look(): Promise<void>;
  /** A new connection, not connected yet. */
  open(place: string, events: MessageEvents): Promise<MessageConnection>;
  /** Calls when somebody may be somewhere else: a server that was cut off says nothing when another takes its place. */
  onChange(listener: () => void): () => void;
}
