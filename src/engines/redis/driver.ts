/** The reply to a script or command, the same for every client and protocol version. */
export type Reply = number | string | null | readonly Reply[];

/** The outcome of one of several commands that were sent together. */
export type CommandOutcome = { readonly reply: Reply } | { readonly error: Error };

/** How to subscribe to a channel: by its name, by a pattern, or at the shard that owns its slot. */
export type SubscriptionMode = 'channel' | 'pattern' | 'shard';

/** One server, reached directly. */
export interface RedisNode {
  /** Tells servers apart: `host:port`. */
  readonly id: string;
  send(command: readonly string[]): Promise<Reply>;
}

/** What a subscriber reports. */
export interface SubscriberEvents {
  /** A message; for a pattern, `source` is the pattern and not the channel. */
  readonly message: (source: string, message: string, channel: string) => void;
  /** Messages may be lost: the connection broke, and every channel is subscribed again now. */
  readonly gap: () => void;
}

/** A connection that receives messages. Subscribes again by itself after a reconnect, then reports the gap. */
export interface Subscriber {
  /** Resolves once the server has confirmed the subscription: no later message is missed. */
  subscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  unsubscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Redis as the engine sees it, through any supported client.
 *
 * A driver only carries commands: it sets no time-out, repeats nothing and explains no error, because the engine does
 * that in one way for all clients. The server may have carried out a command whose promise is rejected, and a promise
 * may never settle (some clients behave so when the server is gone).
 */
export interface RedisDriver {
  readonly client: 'node-redis' | 'ioredis';
  readonly topology: 'single' | 'sentinel' | 'cluster';
  /** Sends a command to the master that owns `key`. */
  send(key: string, command: readonly string[]): Promise<Reply>;
  /**
   * Sends commands back to back on one connection to the master that owns `key`, in this order, with no other command of
   * this driver between them. Rejects only if none was sent.
   */
  sendTogether(key: string, commands: readonly (readonly string[])[]): Promise<readonly CommandOutcome[]>;
  /** The server that owns `key` now, as far as the client knows. Another name than before means another server, with its own clock. */
  nodeOf(key: string): string;
  /** All masters: one, or every master of the cluster. */
  findMasters(): Promise<readonly RedisNode[]>;
  /** Opens one connection of our own for messages. */
  openSubscriber(events: SubscriberEvents): Promise<Subscriber>;
  /** Opens connections of our own to the same server or cluster; the caller closes them. */
  duplicate(): Promise<RedisDriver>;
  /**
   * Calls the listener after each reconnect of the command connection, and when a server of a cluster has replaced another:
   * what the engine knew of the server may no longer hold.
   */
  onReconnect(listener: () => void): () => void;
  /** Calls the listener with each error of the command connection, for example a refused one. The user's listeners still get it. */
  onError(listener: (error: unknown) => void): () => void;
  /** Why the server ends each new connection, while the client has none that it can use. Undefined if that is not known. */
  refusal?(): Error | undefined;
  /** The same, if it still stands: asks the server once more. */
  confirmRefusal?(): Promise<Error | undefined>;
  /** Calls the listener with each refusal that is found while the client has no connection. */
  onRefusal?(listener: (refusal: Error) => void): () => void;
  /**
   * Whether the connection that carries commands for `key` is up. While it is down a command waits in the client and leaves
   * with the next connection: if `connectionsMade` has not changed since, the command has certainly not left.
   */
  isUp?(key: string): boolean;
  /** How many connections for commands have come up, the first one included. */
  readonly connectionsMade?: number;
  /**
   * Reports that the server that owns `key` has not answered for `unansweredMs`. A frozen server keeps its connections open
   * and never says that another master has replaced it: the driver asks the sentinels or the other servers, and moves to the
   * new master if there is one. Or the connection is dead: if the server answers on a fresh one, commands move to it.
   */
  suspect?(key: string, unansweredMs: number): void;
  /** Closes the connections that the driver opened, and never a client that the user passed in. */
  close(): Promise<void>;
}
