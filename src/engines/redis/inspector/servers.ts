import { INSPECTOR } from '../../../kernels/inspector/checked-inspector.ts';
import { Requests } from '../../../kernels/requests/requests.ts';
import type { RedisNode, Reply } from '../driver.ts';
import type { RedisContext } from '../redis-context.ts';
import { translated } from '../requests/server-errors.ts';

/** Keys per step of a scan: a step of this size delays no other client noticeably. */
export const SLICE = 200;

/** Asks each server directly. */
export class InspectorServers {
  readonly #parts: RedisContext;
  readonly #requests: Requests;

  constructor(parts: RedisContext, commandTimeoutMs: number) {
    this.#parts = parts;
    this.#requests = new Requests({ client: parts.client, commandTimeoutMs });
  }

  findMasters(): Promise<readonly RedisNode[]> {
    return this.#ask(() => this.#parts.scripts.driver.findMasters());
  }

  ask(server: RedisNode, command: readonly string[]): Promise<Reply> {
    return this.#ask(() => server.send(command));
  }

  /** Scans all keys of a type, in slices. A key may come twice. */
  async *scan(
    server: RedisNode,
    type: 'hash' | 'list' | 'zset',
    pattern: string,
  ): AsyncGenerator<readonly string[], void, undefined> {
    let cursor = '0';
    do {
      const command = ['SCAN', cursor, 'MATCH', pattern, 'COUNT', String(SLICE), 'TYPE', type];
      const [next, found] = (await this.ask(server, command)) as readonly [Reply, readonly Reply[]];
      cursor = String(next);
      yield found.map(String);
    } while (cursor !== '0');
  }

  #ask<T>(send: () => Promise<T>): Promise<T> {
    const { client, scripts } = this.#parts;
    const subject = { resource: INSPECTOR, engine: client.label };
    const failed = (error: unknown): unknown => translated(error, scripts.driver.topology);
    return this.#requests.repeat({ subject, send, failed }, this.#requests.until(client.clock.now()));
  }
}
