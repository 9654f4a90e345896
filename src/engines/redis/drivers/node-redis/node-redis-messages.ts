import type { SubscriptionMode } from '../../driver.ts';
import { connectNodeRedis, destroyNodeRedis } from './connect-node-redis.ts';
import type { MessageConnection, MessageEvents } from '../subscriptions/message-connection.ts';
import type { NodeRedisClient, NodeRedisListener, NodeRedisPubSub } from './node-redis-shapes.ts';

const subscribeBy = {
  channel: 'subscribe',
  pattern: 'pSubscribe',
  shard: 'sSubscribe',
} as const satisfies Record<SubscriptionMode, keyof NodeRedisPubSub>;

const unsubscribeBy = {
  channel: 'unsubscribe',
  pattern: 'pUnsubscribe',
  shard: 'sUnsubscribe',
} as const satisfies Record<SubscriptionMode, keyof NodeRedisPubSub>;

/** Events that make a connection useless. The last one follows the server's message that a channel has moved. */
const troubles = ['error', 'end', 'reconnecting', 'sharded-channel-moved'];

/** Receives messages through a copy of the given node-redis client, connected to the same server. */
export class NodeRedisMessages implements MessageConnection {
  readonly #client: NodeRedisClient;
  readonly #message: MessageEvents['message'];
  readonly #listeners = new Map<string, NodeRedisListener>();

  constructor(like: NodeRedisClient, events: MessageEvents) {
    // A limit for quiet connections is meant for those of the user: this one is quiet by nature, and has a heartbeat of its own.
    const socket = { ...like.options?.socket, socketTimeout: undefined, reconnectStrategy: false };
    this.#client = like.duplicate({ socket });
    this.#message = events.message;
    for (const trouble of troubles) this.#client.on(trouble, () => events.trouble());
  }

  connect(): Promise<void> {
    return connectNodeRedis(this.#client);
  }

  subscribe(mode: SubscriptionMode, channel: string): Promise<void> {
    const id = `${mode}:${channel}`;
    const listener = this.#listeners.get(id) ?? ((message, from) => this.#message(channel, message, from));
    this.#listeners.set(id, listener);
    return this.#client[subscribeBy[mode]](channel, listener);
  }

  unsubscribe(mode: SubscriptionMode, channel: string): Promise<void> {
    const id = `${mode}:${channel}`;
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    // Names its listener. The race: without it the client would also drop the listener of a later subscription in flight.
    return listener ? this.#client[unsubscribeBy[mode]](channel, listener) : Promise.resolve();
  }

  ping(): Promise<unknown> {
    return this.#client.sendCommand(['PING'], {});
  }

  close(): void {
    destroyNodeRedis(this.#client);
  }
}
