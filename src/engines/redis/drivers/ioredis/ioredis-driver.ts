import { openSubscriber } from '../subscriptions/resubscriber.ts';
import { systemClock } from '../../../../core/time/clock.ts';
import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
  SubscriberEvents,
} from '../../driver.ts';
import { IoredisMessages } from './ioredis-messages.ts';
import { sendPipeline } from './ioredis-pipeline.ts';
import { UnspokenRefusal } from '../unspoken-refusal.ts';
import { waitForIoredis } from './ioredis-ready.ts';
import { ioredisAddress, reconnectIoredis } from './ioredis-master.ts';
import { gatherWrites, writeGathered } from './ioredis-writes.ts';
import { connectingIoredis } from './connecting-ioredis.ts';
import { plainly } from '../reply.ts';
import { isSilentIoredis } from './ioredis-silence.ts';
import type { IoredisClient } from './ioredis-shapes.ts';
import { Listening } from '../subscriptions/listening.ts';
import type { SubscriptionRouting } from '../subscriptions/message-connection.ts';
import { notOpen, OpenedConnections, reconnectDelayMs } from '../opened-connections.ts';
import { onePlace } from '../subscriptions/one-place.ts';

/** One server through an ioredis client, or the master that sentinels name. */
export class IoredisDriver implements RedisDriver {
  readonly client = 'ioredis';
  readonly topology: 'single' | 'sentinel';
  readonly #client: IoredisClient;
  readonly #listening: Listening;
  readonly #refusal: UnspokenRefusal;
  readonly #opened = new OpenedConnections();
  connectionsMade = 0;
  #stream: IoredisClient['stream'];
  #isInDoubt = false;
  /** When the driver last saw the client connect. */
  #connectedAt = -Infinity;
  #node: string;

  constructor(client: IoredisClient) {
    this.#client = client;
    this.topology = client.options.sentinels ? 'sentinel' : 'single';
    this.#listening = new Listening(client);
    this.#refusal = new UnspokenRefusal(connectingIoredis(client));
    this.#node = configuredAddress(client);
    this.#listening.on('ready', () => {
      this.#connectedAt = systemClock.now();
      this.connectionsMade++;
    });
  }

  /** A driver that owns its client, and closes it. */
  static owning(client: IoredisClient): IoredisDriver {
    const driver = new IoredisDriver(client);
    driver.#opened.add(() => client.disconnect());
    client.on('error', () => undefined);
    return driver;
  }

  send(_key: string, command: readonly string[]): Promise<Reply> {
    const client = this.#client;
    if (client.status === 'end') return Promise.reject(notOpen());
    gatherWrites(client);
    const reply = plainly(command, client.call(...command));
    writeGathered(client);
    return reply;
  }

  sendTogether(_key: string, commands: readonly (readonly string[])[]): Promise<readonly CommandOutcome[]> {
    if (this.#client.status === 'end') return Promise.reject(notOpen());
    return sendPipeline(this.#client.pipeline(), commands);
  }

  nodeOf(): string {
    // After a failover sentinels name another master, which is on another connection.
    if (this.topology === 'sentinel' && this.#client.stream !== this.#stream) this.#lookWhere();
    return this.#node;
  }

  async findMasters(): Promise<readonly RedisNode[]> {
    return [{ id: this.nodeOf(), send: (command) => this.send('', command) }];
  }

  async openSubscriber(events: SubscriberEvents): Promise<Subscriber> {
    return openSubscriber(this.#opened, this.#places(), events);
  }

  /** Like the given client, but it retries without limit, and its errors are not printed. */
  async duplicate(): Promise<RedisDriver> {
    const client = this.#client.duplicate({ lazyConnect: true, retryStrategy: reconnectDelayMs });
    client.on('error', () => undefined);
    const letGo = this.#opened.add(() => client.disconnect());
    client.connect().catch(() => undefined);
    await waitForIoredis(client, this.#opened.closing);
    letGo();
    return IoredisDriver.owning(client);
  }

  onError(listener: (error: unknown) => void): () => void {
    return this.#refusal.onError(listener);
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
    return this.#client.status === 'ready';
  }

  onReconnect(listener: () => void): () => void {
    return this.#listening.on('ready', listener);
  }

  suspect(_key: string, unansweredMs: number): void {
    if (this.#isInDoubt || this.#opened.closing.aborted) return;
    // The unanswered command went over an earlier connection: this one has not had its time.
    if (systemClock.now() - this.#connectedAt < unansweredMs) return;
    this.#isInDoubt = true;
    void this.#doubt(unansweredMs).finally(() => {
      this.#isInDoubt = false;
    });
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    this.#refusal.stop();
    await this.#opened.close();
  }

  /**
   * Reconnects a client whose connection is dead. The client may be connected to a master that sentinels have replaced, and
   * without `failoverDetector` it stays there for as long as the connection is open. Or the connection is dead, and the client
   * keeps it for as long as the kernel retransmits, a quarter of an hour. Reconnects only when a fresh connection was answered
   * and no byte has arrived on the old one: a frozen server answers neither, and a reconnect makes the client send again what
   * its user has in flight, as after any break of the connection.
   */
  async #doubt(unansweredMs: number): Promise<void> {
    const isSilent = await isSilentIoredis(this.#client, unansweredMs, this.#opened.closing);
    // Also before the client is ready: it may have connected to the frozen server, which did not answer its greeting. But never
    // while the client looks for a server: it would take the disconnect for its end, and not look again.
    const isConnected = ['ready', 'connect'].includes(this.#client.status);
    // A client without a retry strategy would be closed by a reconnect.
    const returns = typeof this.#client.options.retryStrategy === 'function';
    if (isSilent && isConnected && returns) reconnectIoredis(this.#client);
  }

  /**
   * With sentinels, routes subscriptions to the server of the commands, so that a connection to any other server is ended.
   * Waits until the commands are connected: before that the server would go by the address of the old master.
   */
  #places(): SubscriptionRouting {
    const places = onePlace((events) => new IoredisMessages(this.#client, events));
    if (this.topology === 'single') return places;
    return {
      ...places,
      placeOf: () => this.nodeOf(),
      look: async () => {
        if (this.#client.status !== 'wait') await waitForIoredis(this.#client, this.#opened.closing);
      },
      onChange: (listener) => this.#listening.on('ready', listener),
    };
  }

  #lookWhere(): void {
    const address = ioredisAddress(this.#client);
    if (address === undefined) return;
    this.#stream = this.#client.stream;
    this.#node = address;
  }
}

function configuredAddress({ options }: IoredisClient): string {
  return options.path ?? `${options.host ?? 'localhost'}:${options.port ?? 6379}`;
}
