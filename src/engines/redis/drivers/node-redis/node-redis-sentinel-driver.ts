import { openSubscriber } from '../subscriptions/resubscriber.ts';
import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
  SubscriberEvents,
} from '../../driver.ts';
import { Listening } from '../subscriptions/listening.ts';
import type { SubscriptionRouting } from '../subscriptions/message-connection.ts';
import { nodeRedisAddress } from './connect-node-redis.ts';
import { NodeRedisMaster } from './node-redis-master.ts';
import { NodeRedisMessages } from './node-redis-messages.ts';
import type { NodeRedisSentinel } from './node-redis-shapes.ts';
import { OpenedConnections } from '../opened-connections.ts';

/** The master that sentinels name, through node-redis. */
export class NodeRedisSentinelDriver implements RedisDriver {
  readonly client = 'node-redis';
  readonly topology = 'sentinel';
  readonly #sentinel: NodeRedisSentinel;
  readonly #master: NodeRedisMaster;
  readonly #listening: Listening;
  readonly #opened = new OpenedConnections();

  constructor(sentinel: NodeRedisSentinel, master = new NodeRedisMaster(sentinel, { copied: false })) {
    this.#sentinel = sentinel;
    this.#master = master;
    this.#listening = new Listening(sentinel);
    this.#listening.on('topology-change', () => void master.follow());
  }

  /** A driver that owns its client, and closes it. */
  static owning(sentinel: NodeRedisSentinel): NodeRedisSentinelDriver {
    const driver = new NodeRedisSentinelDriver(sentinel);
    driver.#opened.add(() => sentinel.destroy());
    return driver;
  }

  send(_key: string, command: readonly string[]): Promise<Reply> {
    const { ready, connections } = this.#master;
    const reply = ready
      ? connections.send(ready, command)
      : this.#master.find().then((master) => connections.send(master, command));
    return reply.catch((error: unknown) => {
      this.#master.recordError(error);
      throw error;
    });
  }

  async sendTogether(
    _key: string,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    const outcomes = await this.#master.connections.sendTogether(
      this.#master.ready ?? (await this.#master.find()),
      commands,
    );
    for (const outcome of outcomes) if ('error' in outcome) this.#master.recordError(outcome.error);
    return outcomes;
  }

  nodeOf(): string {
    return this.#master.address;
  }

  async findMasters(): Promise<readonly RedisNode[]> {
    const id = nodeRedisAddress(await this.#master.find());
    return [{ id, send: (command) => this.send('', command) }];
  }

  async openSubscriber(events: SubscriberEvents): Promise<Subscriber> {
    return openSubscriber(this.#opened, this.#places(), events);
  }

  /** Opens a connection of our own to the same master, found through the same sentinel client. */
  async duplicate(): Promise<RedisDriver> {
    const master = new NodeRedisMaster(this.#sentinel, { copied: true });
    const letGo = this.#opened.add(() => master.close());
    await master.find();
    letGo();
    return new NodeRedisSentinelDriver(this.#sentinel, master);
  }

  onError(listener: (error: unknown) => void): () => void {
    return this.#listening.onError(listener);
  }

  isUp(): boolean {
    return this.#master.isUp;
  }

  get connectionsMade(): number {
    return this.#master.connectionsMade;
  }

  onReconnect(listener: () => void): () => void {
    return this.#master.onReconnect(listener);
  }

  suspect(_key: string, unansweredMs: number): void {
    if (!this.#opened.closing.aborted) void this.#master.doubt(unansweredMs);
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    this.#master.close();
    await this.#opened.close();
  }

  #places(): SubscriptionRouting {
    return {
      placeOf: () => {
        const node = this.#sentinel.getMasterNode();
        return node && `${node.host}:${node.port}`;
      },
      look: async () => void (await this.#master.find()),
      open: async (_place, events) => new NodeRedisMessages(await this.#master.find(), events),
      onChange: (listener) => this.#listening.on('topology-change', listener),
    };
  }
}
