import { Redis } from 'ioredis';

/** How often each command was called, by the server's own count. What a script calls is counted as well. */
export type Calls = ReadonlyMap<string, number>;

/** Asks the server for its counts over a connection of its own. */
export class CommandCounts {
  readonly #client: Redis;

  constructor(port: number) {
    this.#client = new Redis(port);
  }

  /** What was called while some work was done, our own asking left out. */
  async during<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly calls: Calls }> {
    const before = await this.#counts();
    const result = await work();
    const after = await this.#counts();
    const calls = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
    return { result, calls: new Map(calls.filter(([name, count]) => name !== 'info' && count > 0)) };
  }

  close(): void {
    this.#client.disconnect();
  }

  async #counts(): Promise<Calls> {
    const lines = (await this.#client.info('commandstats')).split('\r\n');
    const found = lines.map((line) => /^cmdstat_([^:]+):calls=(\d+)/.exec(line));
    return new Map(
      found.filter((match) => match !== null).map(([, name = '', count]) => [name, Number(count)]),
    );
  }
}

export function totalOf(calls: Calls): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
