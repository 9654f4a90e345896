import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
  SubscriberEvents,
} from '../../../src/engines/redis/driver.ts';
import { Mortality } from '../../fixtures/mortality.ts';

/** A driver that can lose an answer, and that can be cut off for good: nothing goes out any more and nothing comes in. */
export class MortalDriver implements RedisDriver {
  readonly client: RedisDriver['client'];
  readonly topology: RedisDriver['topology'];
  readonly #inner: RedisDriver;
  readonly #subscribers = new Set<Subscriber>();
  readonly #mortality = new Mortality(() => new Error('Connection is closed.'));

  constructor(inner: RedisDriver) {
    this.#inner = inner;
    this.client = inner.client;
    this.topology = inner.topology;
  }

  loseNextReply(breaksAfterMs: number): void {
    this.#mortality.loseNextReply(breaksAfterMs);
  }

  silence(): () => void {
    return this.#mortality.silence();
  }

  cut(): void {
    this.#mortality.cut();
  }

  async send(key: string, command: readonly string[]): Promise<Reply> {
    return this.#answer(() => this.#inner.send(key, command));
  }

  async sendTogether(
    key: string,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    return this.#answer(() => this.#inner.sendTogether(key, commands));
  }

  nodeOf(key: string): string {
    return this.#inner.nodeOf(key);
  }

  findMasters(): Promise<readonly RedisNode[]> {
    return this.#inner.findMasters();
  }

  async openSubscriber(events: SubscriberEvents): Promise<Subscriber> {
    const subscriber = await this.#inner.openSubscriber({
      message: (...heard) => {
        if (!this.#mortality.isCut) events.message(...heard);
      },
      gap: () => {
        if (!this.#mortality.isCut) events.gap();
      },
    });
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  /** What is left of a client that was killed goes with its process. */
  async bury(): Promise<void> {
    for (const subscriber of this.#subscribers) await subscriber.close();
    await this.#inner.close();
  }

  async duplicate(): Promise<RedisDriver> {
    return this.#inner.duplicate();
  }

  onReconnect(listener: () => void): () => void {
    return this.#inner.onReconnect(listener);
  }

  onError(listener: (error: unknown) => void): () => void {
    return this.#inner.onError(listener);
  }

  isUp(key: string): boolean {
    return this.#inner.isUp?.(key) !== false;
  }

  get connectionsMade(): number {
    return this.#inner.connectionsMade ?? 0;
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async #answer<T>(send: () => Promise<T>): Promise<T> {
    const answer = await this.#mortality.whileAlive(send);
    return this.#mortality.unlessLost(await this.#mortality.unlessSilent(answer));
  }
}
