import { openSubscriber } from '../subscriptions/resubscriber.ts';
import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
  SubscriberEvents,
} from '../../driver.ts';
import { connectNodeRedis, destroyNodeRedis, nodeRedisAddress } from './connect-node-redis.ts';
import { Listeners } from '../listeners.ts';
import { Listening } from '../subscriptions/listening.ts';
import { NodeRedisConnections } from './node-redis-connections.ts';
import { NodeRedisMessages } from './node-redis-messages.ts';
import type { NodeRedisClient } from './node-redis-shapes.ts';
import { connectingNodeRedis } from './connecting-node-redis.ts';
import { UnspokenRefusal } from '../unspoken-refusal.ts';
import { plainly } from '../reply.ts';
import { notOpen, OpenedConnections, reconnectDelayMs } from '../opened-connections.ts';
import { onePlace } from '../subscriptions/one-place.ts';

/** One server through a node-redis client. */
export class NodeRedisDriver implements RedisDriver {
  readonly client = 'node-redis';
  readonly topology = 'single';
  readonly #node: string;
  readonly #connections = new NodeRedisConnections();
  readonly #reconnected = new Listeners();
  readonly #failed = new Listeners<[error: unknown]>();
  readonly #opened = new OpenedConnections();
  connectionsMade = 0;
  #client: NodeRedisClient;
  #listening: Listening;
  #refusal: UnspokenRefusal;
  #owns = false;

  constructor(client: NodeRedisClient) {
    this.#client = client;
    this.#node = nodeRedisAddress(client);
    this.#listening = this.#listenTo(client);
    this.#refusal = this.#hearRefusals(client);
  }

  /** A driver that owns its client, and closes it. */
  static owning(client: NodeRedisClient): NodeRedisDriver {
    const driver = new NodeRedisDriver(client);
    driver.#owns = true;
    driver.#opened.add(() => destroyNodeRedis(driver.#client));
    return driver;
  }

  send(_key: string, command: readonly string[]): Promise<Reply> {
    if (!this.#client.isOpen) return Promise.reject(notOpen());
    const { through, options } = this.#connections.pathOf(this.#client);
    return plainly(command, through.sendCommand(command, options));
  }

  async sendTogether(
    _key: string,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    if (!this.#client.isOpen) throw notOpen();
    return this.#connections.sendTogether(this.#client, commands);
  }

  nodeOf(): string {
    return this.#node;
  }

  async findMasters(): Promise<readonly RedisNode[]> {
    return [{ id: this.#node, send: (command) => this.send('', command) }];
  }

  async openSubscriber(events: SubscriberEvents): Promise<Subscriber> {
    const places = onePlace((each) => new NodeRedisMessages(this.#client, each));
    return openSubscriber(this.#opened, places, events);
  }

  /** Like the given client, but it retries without limit, and its errors do not end the process. */
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

  /** Keeps the listeners here and not on the client, which may be replaced: the errors of its successor would be lost. */
  onError(listener: (error: unknown) => void): () => void {
    return this.#failed.add(listener);
  }

  refusal(): Error | undefined {
    return this.#refusal.reason;
  }

  confirmRefusal(): Promise<Error | undefined> {
    return this.#refusal.confirm();
  }

  onRefusal(listener: (refusal: Error) => void): () => void {
    return this.#refusal.onRefusal(listener);
  }

  isUp(): boolean {
    return this.#connections.isUp(this.#client);
  }

  onReconnect(listener: () => void): () => void {
    return this.#reconnected.add(listener);
  }

  suspect(_key: string, unansweredMs: number): void {
    if (!this.#opened.closing.aborted) void this.#doubt(unansweredMs);
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    this.#refusal.stop();
    this.#reconnected.clear();
    this.#failed.clear();
    this.#connections.close();
    await this.#opened.close();
  }

  /** Replaces a client of ours for good; stands in for a client of the user until it has reconnected. */
  async #doubt(unansweredMs: number): Promise<void> {
    const silent = this.#client;
    const fresh = await this.#connections.openFresh(silent, unansweredMs);
    if (fresh === undefined) return;
    if (this.#owns) {
      this.#listening.stopAll();
      this.#refusal.stop();
      this.#client = fresh;
      this.#listening = this.#listenTo(fresh);
      this.#refusal = this.#hearRefusals(fresh);
      destroyNodeRedis(silent);
    } else {
      this.#connections.standIn(silent, fresh, { reconnected: () => this.#tell(), failed: this.#hearError });
    }
    this.#tell();
  }

  #listenTo(client: NodeRedisClient): Listening {
    const listening = new Listening(client);
    listening.on('ready', () => this.#tell());
    return listening;
  }

  #hearRefusals(client: NodeRedisClient): UnspokenRefusal {
    const refusal = new UnspokenRefusal(connectingNodeRedis(client));
    refusal.onError(this.#hearError);
    return refusal;
  }

  readonly #hearError = (error: unknown): void => this.#failed.tell(error);

  #tell(): void {
    this.connectionsMade++;
    this.#reconnected.tell();
  }
}
