import { INSPECTOR } from '../../../kernels/inspector/checked-inspector.ts';
import { RequestTimeouts } from '../../../kernels/requests/request-timeouts.ts';
import type { RedisNode, Reply } from '../driver.ts';
import type { RedisContext } from '../redis-context.ts';
import { explained, isFinal, unanswered } from '../requests/server-errors.ts';

/** So many keys are looked at in one step: a step of this size is over before anybody else notices. */
export const SLICE = 200;

/** The servers, asked one by one and directly. */
export class InspectorServers {
  readonly #parts: RedisContext;
  readonly #deadlines: RequestTimeouts;

  constructor(parts: RedisContext, commandTimeoutMs: number) {
    this.#parts = parts;
    this.#deadlines = new RequestTimeouts(parts.client.clock, commandTimeoutMs);
    parts.client.whenClosed.add(() => this.#deadlines.close());
  }

  masters(): Promise<readonly RedisNode[]> {
    return this.#answered(this.#parts.calls.driver.masters());
  }

  ask(server: RedisNode, command: readonly string[]): Promise<Reply> {
    return this.#answered(server.send(command));
  }

  /** All keys of a type, in slices. A key may come twice. */
  async *slices(
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

  async #answered<T>(answer: Promise<T>): Promise<T> {
    const subject = { resource: INSPECTOR, engine: this.#parts.client.label };
    try {
      return await this.#deadlines.within(answer);
    } catch (error) {
      const { topology } = this.#parts.calls.driver;
      throw isFinal(error, topology)
        ? explained(error, subject, topology)
        : unanswered(error, false, subject);
    }
  }
}
