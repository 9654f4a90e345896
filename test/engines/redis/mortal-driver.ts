import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
  SubscriberEvents,
} from '../../../src/engines/redis/driver.ts';

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** A driver that can lose an answer, and that can be cut off for good: nothing goes out any more and nothing comes in. */
export class MortalDriver implements RedisDriver {
  readonly client: RedisDriver['client'];
  readonly topology: RedisDriver['topology'];
  readonly #inner: RedisDriver;
  readonly #subscribers = new Set<Subscriber>();
  #cut = false;
  #silent = false;
  readonly #losing: number[] = [];

  constructor(inner: RedisDriver) {
    this.#inner = inner;
    this.client = inner.client;
    this.topology = inner.topology;
  }

  /** The answer to the next command never arrives; after a while the connection breaks, as far as the engine can see. */
  loseNextReply(breaksAfterMs: number): void {
    this.#losing.push(breaksAfterMs);
  }

  /** Nothing that is sent from now on is answered, until what this returns is called. What was sent is carried out. */
  silence(): () => void {
    this.#silent = true;
    return () => {
      this.#silent = false;
    };
  }

  cut(): void {
    this.#cut = true;
  }

  async send(key: string, command: readonly string[]): Promise<Reply> {
    return this.#arriving(await this.#alive(() => this.#inner.send(key, command)));
  }

  async sendTogether(
    key: string,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    return this.#arriving(await this.#alive(() => this.#inner.sendTogether(key, commands)));
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
        if (!this.#cut) events.message(...heard);
      },
      gap: () => {
        if (!this.#cut) events.gap();
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

  /**
   * Nothing comes back to a killed client, neither an answer nor an error: its connection is closed later, and a command that
   * was under way then fails in a process that would no longer be there to hear of it.
   */
  async #alive<T>(send: () => Promise<T>): Promise<T> {
    if (this.#cut) return never();
    try {
      const answer = await send();
      return this.#cut ? await never() : answer;
    } catch (error) {
      if (this.#cut) return never();
      throw error;
    }
  }

  async #arriving<T>(answer: T): Promise<T> {
    if (this.#silent) return never();
    const breaksAfterMs = this.#losing.shift();
    if (breaksAfterMs === undefined) return answer;
    await new Promise((resolve) => {
      setTimeout(resolve, breaksAfterMs);
    });
    throw new Error('Connection is closed.');
  }
}
