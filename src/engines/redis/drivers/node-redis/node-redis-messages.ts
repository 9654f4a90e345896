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

/** The last is what a client says that was told by its server that a channel has moved. */
const troubles = ['error', 'end', 'reconnecting', 'sharded-channel-moved'];

/** Hears messages through a node-redis client of our own: one like the given, to the same server. */
export class NodeRedisMessages implements MessageConnection {
  readonly #client: NodeRedisClient;
  readonly #message: MessageEvents['message'];
  readonly #listeners = new Map<string, NodeRedisListener>();

  constructor(like: NodeRedisClient, events: MessageEvents) {
    this.#client = like.duplicate({ socket: { ...like.options?.socket, reconnectStrategy: false } });
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
    // With its listener: without one the client would drop those of a subscription that is on its way behind it.
    return listener ? this.#client[unsubscribeBy[mode]](channel, listener) : Promise.resolve();
  }

  ping(): Promise<unknown> {
    return this.#client.sendCommand(['PING'], {});
  }

  close(): void {
    destroyNodeRedis(this.#client);
  }
}
