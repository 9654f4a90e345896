import type { Outcome, RedisDriver, RedisNode, Reply, Subscriber, SubscriberEvents } from '../driver.ts';
import { IoredisMessages } from './ioredis-messages.ts';
import { sendPipeline } from './ioredis-pipeline.ts';
import { ioredisReady } from './ioredis-ready.ts';
import type { IoredisClient } from './ioredis-shapes.ts';
import { Listening } from './listening.ts';
import { onePlace } from './one-place.ts';
import { Opened } from './opened.ts';
import { reconnectDelayMs } from './reconnect-delay.ts';
import { plainly } from './reply.ts';

/** One server through an ioredis client, or the master that sentinels name. */
export class IoredisDriver implements RedisDriver {
  readonly client = 'ioredis';
  readonly topology: 'single' | 'sentinel';
  readonly #client: IoredisClient;
  readonly #listening: Listening;
  readonly #opened = new Opened();
  #stream: IoredisClient['stream'];
  #node: string;

  constructor(client: IoredisClient) {
    this.#client = client;
    this.topology = client.options.sentinels ? 'sentinel' : 'single';
    this.#listening = new Listening(client);
    this.#node = configuredAddress(client);
  }

  /** With a client that is ours to close. */
  static owning(client: IoredisClient): IoredisDriver {
    const driver = new IoredisDriver(client);
    driver.#opened.add(() => client.disconnect());
    client.on('error', () => undefined);
    return driver;
  }

  send(_key: string, command: readonly string[]): Promise<Reply> {
    return plainly(command, this.#client.call(...command));
  }

  sendTogether(_key: string, commands: readonly (readonly string[])[]): Promise<readonly Outcome[]> {
    return sendPipeline(this.#client.pipeline(), commands);
  }

  nodeOf(): string {
    // Sentinels name another master after a failover, and it is on another connection then.
    if (this.topology === 'sentinel' && this.#client.stream !== this.#stream) this.#lookWhere();
    return this.#node;
  }

  async masters(): Promise<readonly RedisNode[]> {
    return [{ id: this.nodeOf(), send: (command) => this.send('', command) }];
  }

  async subscriber(events: SubscriberEvents): Promise<Subscriber> {
    const places = onePlace((each) => new IoredisMessages(this.#client, each));
    return this.#opened.subscriber(places, events);
  }

  /** Like the given one, but it never gives up, and its errors are not printed. */
  async duplicate(): Promise<RedisDriver> {
    const client = this.#client.duplicate({ lazyConnect: true, retryStrategy: reconnectDelayMs });
    client.on('error', () => undefined);
    const letGo = this.#opened.add(() => client.disconnect());
    client.connect().catch(() => undefined);
    await ioredisReady(client, this.#opened.closing);
    letGo();
    return IoredisDriver.owning(client);
  }

  onReconnect(listener: () => void): () => void {
    return this.#listening.on('ready', listener);
  }

  async close(): Promise<void> {
    this.#listening.stopAll();
    await this.#opened.close();
  }

  #lookWhere(): void {
    const { remoteAddress, remotePort } = this.#client.stream ?? {};
    if (remoteAddress === undefined) return;
    this.#stream = this.#client.stream;
    this.#node = `${remoteAddress}:${remotePort}`;
  }
}

function configuredAddress({ options }: IoredisClient): string {
  return options.path ?? `${options.host ?? 'localhost'}:${options.port ?? 6379}`;
}
