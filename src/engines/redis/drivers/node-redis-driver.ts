import type { Outcome, RedisDriver, RedisNode, Reply, Subscriber, SubscriberEvents } from '../driver.ts';
import { connectNodeRedis, destroyNodeRedis } from './connect-node-redis.ts';
import { Listening } from './listening.ts';
import { nodeRedisAddress } from './node-redis-address.ts';
import { NodeRedisLines } from './node-redis-lines.ts';
import { NodeRedisMessages } from './node-redis-messages.ts';
import type { NodeRedisClient } from './node-redis-shapes.ts';
import { notOpen } from './not-open.ts';
import { onePlace } from './one-place.ts';
import { Opened } from './opened.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';

/** One server through a node-redis client. */
export class NodeRedisDriver implements RedisDriver {
  readonly client = 'node-redis';
  readonly topology = 'single';
  readonly #client: NodeRedisClient;
  readonly #node: string;
  readonly #lines = new NodeRedisLines();
  readonly #listening: Listening;
  readonly #opened = new Opened();

  constructor(client: NodeRedisClient) {
    this.#client = client;
    this.#node = nodeRedisAddress(client);
    this.#listening = new Listening(client);
  }

  /** With a client that is ours to close. */
  static owning(client: NodeRedisClient): NodeRedisDriver {
    const driver = new NodeRedisDriver(client);
    driver.#opened.add(() => destroyNodeRedis(client));
    return driver;
  }

  send(_key: string, command: readonly string[]): Promise<Reply> {
    if (!this.#client.isOpen) return Promise.reject(notOpen());
    return this.#lines.send(this.#client, command);
  }

  async sendTogether(_key: string, commands: readonly (readonly string[])[]): Promise<readonly Outcome[]> {
    if (!this.#client.isOpen) throw notOpen();
    return this.#lines.sendTogether(this.#client, commands);
  }

  nodeOf(): string {
    return this.#node;
  }

  async masters(): Promise<readonly RedisNode[]> {
    return [{ id: this.#node, send: (command) => this.send('', command) }];
  }

  async subscriber(events: SubscriberEvents): Promise<Subscriber> {
    const places = onePlace((each) => new NodeRedisMessages(this.#client, each));
    return this.#opened.subscriber(places, events);
  }

  /** Like the given one, but it never gives up, and its errors do not end the process. */
  async duplicate(): Promise<RedisDriver> {
    const client = this.#client.duplicate({
      socket: { ...this.#client.options?.socket, reconnectStrategy: reconnectDelayMs },
    });
    client.on('error', () => undefined);
    const letGo = this.#opened.add(() => destroyNodeRedis(client));
    await connectNodeRedis(client);
    letGo();
    return NodeRedisDriver.owning(client);
  }

  onReconnect(listener: () => void): () => void {
    return this.#listening.on('ready', listener);
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    this.#lines.close();
    await this.#opened.close();
  }
}
