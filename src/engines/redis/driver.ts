/** What a script or command answers: the same whichever client and protocol version it came through. */
export type Reply = number | string | null | readonly Reply[];

/** How one of several commands that were sent together went. */
export type CommandOutcome = { readonly reply: Reply } | { readonly error: Error };

/** How the messages of a channel are asked for: by its name, by a pattern, or from the shard that owns its slot. */
export type SubscriptionMode = 'channel' | 'pattern' | 'shard';

/** One server, reached directly. */
export interface RedisNode {
  /** Tells servers apart: `host:port`. */
  readonly id: string;
  send(command: readonly string[]): Promise<Reply>;
}

/** What a subscriber hears. */
export interface SubscriberEvents {
  /** A message; for a pattern, `source` is the pattern and not the channel. */
  readonly message: (source: string, message: string, channel: string) => void;
  /** Messages may have been missed: the connection was lost, and everything is subscribed again now. */
  readonly gap: () => void;
}

/** A connection that hears messages. Subscribed again by itself after a reconnect, then telling of the gap. */
export interface Subscriber {
  /** Resolves once the server has confirmed it: no message after that is missed. */
  subscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  unsubscribe(mode: SubscriptionMode, channel: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Redis as the engine speaks to it, whichever client the user has.
 *
 * A driver only carries: it sets no time-out, repeats nothing and explains no error, because the engine does all that
 * in one way for all clients. A rejected promise may mean that the command was carried out, and a promise may never
 * settle (some clients behave so when the server is gone).
 */
export interface RedisDriver {
  readonly client: 'node-redis' | 'ioredis';
  readonly topology: 'single' | 'sentinel' | 'cluster';
  /** Sends a command to the master that owns `key`. */
  send(key: string, command: readonly string[]): Promise<Reply>;
  /**
   * Sends commands right behind each other on one connection to the master that owns `key`, in this order, with nothing
   * of ours between them. Rejects only if none was sent.
   */
  sendTogether(key: string, commands: readonly (readonly string[])[]): Promise<readonly CommandOutcome[]>;
  /** Which server owns `key` now, as far as is known. Another name than before means another server, with its own clock. */
  nodeOf(key: string): string;
  /** All masters: one, or those of the cluster. */
  findMasters(): Promise<readonly RedisNode[]>;
  /** One connection of our own for messages. */
  openSubscriber(events: SubscriberEvents): Promise<Subscriber>;
  /** The same server or cluster on connections of our own, which are ours to close. */
  duplicate(): Promise<RedisDriver>;
  /**
   * Called after each reconnect of the command connection, and when a server of a cluster has taken the place of another:
   * what was known of the server may no longer hold.
   */
  onReconnect(listener: () => void): () => void;
  /** Called with each error of the command connection, for example a refused one. Takes no error from the client's user. */
  onError(listener: (error: unknown) => void): () => void;
  /**
   * Whether the connection that carries commands for `key` is up. A command waits in the client while it is not, and leaves
   * with the next connection: one that found none has certainly not left if `connectionsMade` is the same as before.
   */
  isUp?(key: string): boolean;
  /** How many connections for commands have come up, the first one included. */
  readonly connectionsMade?: number;
  /**
   * The server that owns `key` has not answered for `unansweredMs`. It may be standing still with all its connections
   * open, and never say that another has taken its place: the driver asks those who know, and goes to the other one if
   * there is one. Or the connection carries nothing any more: if a fresh one is answered, commands go over a fresh one.
   */
  suspect?(key: string, unansweredMs: number): void;
  /** Closes what the driver itself has opened, and never a client that the user passed in. */
  close(): Promise<void>;
}
