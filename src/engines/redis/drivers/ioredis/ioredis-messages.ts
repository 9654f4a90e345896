import type { SubscriptionMode } from '../../driver.ts';
import type { IoredisClient } from './ioredis-shapes.ts';
import type { MessageConnection, MessageEvents } from '../subscriptions/message-connection.ts';

const subscribeBy = { channel: 'subscribe', pattern: 'psubscribe', shard: 'ssubscribe' } as const;
const unsubscribeBy = { channel: 'unsubscribe', pattern: 'punsubscribe', shard: 'sunsubscribe' } as const;

/**
 * Events that make a connection useless. `moved` follows the server's message that a channel has moved. Older clients lack
 * it: they lose count of their replies, and emit `error`.
 */
const troubles = ['error', 'close', 'end', 'moved'];

/** Receives messages through a copy of the given ioredis client, connected to the same server. */
export class IoredisMessages implements MessageConnection {
  readonly #client: IoredisClient;

  constructor(like: IoredisClient, { message, trouble }: MessageEvents) {
    this.#client = like.duplicate({
      lazyConnect: true,
      retryStrategy: null,
      autoResubscribe: false,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      // A PING that the client gave up would count as answered, and a connection that has gone silent would never be found.
      commandTimeout: undefined,
    });
    const deliver = (channel: string, text: string): void => message(channel, text, channel);
    this.#client.on('message', deliver);
    this.#client.on('smessage', deliver);
    this.#client.on('pmessage', (pattern: string, channel: string, text: string) =>
      message(pattern, text, channel),
    );
    for (const each of troubles) this.#client.on(each, () => trouble());
  }

  connect(): Promise<void> {
    return this.#client.connect();
  }

  async subscribe(mode: SubscriptionMode, channel: string): Promise<void> {
    await this.#client[subscribeBy[mode]](channel);
  }

  async unsubscribe(mode: SubscriptionMode, channel: string): Promise<void> {
    await this.#client[unsubscribeBy[mode]](channel);
  }

  ping(): Promise<unknown> {
    return this.#client.ping();
  }

  close(): void {
    this.#client.disconnect();
  }
}
