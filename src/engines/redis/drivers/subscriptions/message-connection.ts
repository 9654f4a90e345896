import type { SubscriberEvents, SubscriptionMode } from '../../driver.ts';

/**
 * A connection for messages to one server. It does not reconnect. The tempting alternative is the client's own reconnect,
 * which subscribes again too: most clients do not report it, and lose count when a cluster moves a channel.
 */
export interface MessageConnection {
  connect(): Promise<void>;
  /** Resolves once the server has confirmed it. May never settle if the connection breaks before that. */
  subscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  unsubscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  /** Sends a PING. Settles with any answer, also a refusal; never without one. */
  ping(): Promise<unknown>;
  close(): void;
}

export interface MessageEvents {
  readonly message: SubscriberEvents['message'];
  /** The connection has ended, or the server has dropped a channel, or the client has lost count: it is useless now. */
  readonly trouble: () => void;
}

/** Finds the server for a subscription: the one server, or the right one of a cluster. */
export interface SubscriptionRouting {
  /** The server of a channel, if one is known. */
  placeOf(mode: SubscriptionMode, channel: string): string | undefined;
  /** Asks for the current servers again. */
  look(): Promise<void>;
  /** Creates a connection, not connected yet. */
  open(place: string, events: MessageEvents): Promise<MessageConnection>;
  /** Calls the listener when a server may have been replaced: a server that is cut off does not report it itself. */
  onChange(listener: () => void): () => void;
}
