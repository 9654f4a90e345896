import { RespConnection } from '../fixtures/redis/resp-connection.ts';
import type { RespReply } from '../fixtures/redis/resp-parser.ts';

export interface Sent {
  readonly channel: string;
  readonly payload: string;
}

const END = 'the end';

/** Everything that is published on a server, sorted by the name in braces that is in every channel. */
export class HeardMessages {
  readonly #heard = new Map<string, Sent[]>();
  readonly #ended = new Map<string, () => void>();
  #connection: RespConnection | undefined;

  static async open(port: number): Promise<HeardMessages> {
    const heard = new HeardMessages();
    heard.#connection = await RespConnection.open({ port, unasked: (reply) => heard.#hear(reply) });
    await heard.#connection.command('PSUBSCRIBE', '*');
    return heard;
  }

  /** All that was published about a name, in order. The client that publishes the end for it comes last. */
  async about(
    name: string,
    publish: (channel: string, payload: string) => Promise<unknown>,
  ): Promise<readonly Sent[]> {
    const ended = new Promise<void>((resolve) => this.#ended.set(name, resolve));
    await publish(`{${name}}`, END);
    await ended;
    const heard = this.#heard.get(name) ?? [];
    this.#heard.delete(name);
    return heard;
  }

  close(): void {
    this.#connection?.close();
  }

  #hear(reply: RespReply): void {
    const [, , channel = '', payload = ''] = (reply as RespReply[]).map(String);
    const [, name = ''] = /\{(.+?)\}/.exec(channel) ?? [];
    if (payload === END) {
      this.#ended.get(name)?.();
      this.#ended.delete(name);
      return;
    }
    const heard = this.#heard.get(name);
    if (heard === undefined) this.#heard.set(name, [{ channel, payload }]);
    else heard.push({ channel, payload });
  }
}
