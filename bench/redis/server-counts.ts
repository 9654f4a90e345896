import type { Redis } from 'ioredis';
import { bytesIn, bytesOut, type Calls, callsBetween, callsIn } from './server-info.ts';

/** What a server had to do, by its own count. */
export interface Spent {
  readonly calls: Calls;
  readonly bytesIn: number;
  readonly bytesOut: number;
}

/** Asks the server for its counts over a connection of its own. */
export class ServerCounts {
  readonly #client: Redis;

  private constructor(client: Redis) {
    this.#client = client;
  }

  static async at(port: number): Promise<ServerCounts> {
    const { Redis } = await import('ioredis');
    return new ServerCounts(new Redis(port));
  }

  /** What the server did while some work was done, our own asking left out. */
  async during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly spent: Spent }> {
    const callsBefore = await this.#client.info('commandstats');
    const before = await this.#client.info('stats');
    const result = await work();
    const after = await this.#client.info('stats');
    const callsAfter = await this.#client.info('commandstats');
    const calls = callsBetween(callsIn(callsBefore), callsIn(callsAfter));
    return { result, spent: { calls, bytesIn: bytesIn(before, after), bytesOut: bytesOut(before, after) } };
  }

  close(): void {
    this.#client.disconnect();
  }
}
