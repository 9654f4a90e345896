import { createClient } from 'redis';
import type { RedisDriver } from '../../src/engines/redis/driver.ts';
import { driverFor } from '../../src/engines/redis/drivers/recognise.ts';
import { startRedisServer, type RedisServer } from '../fixtures/redis/redis-server.ts';
import { HeardMessages } from './heard-messages.ts';
import { scriptSources } from './script-sources.ts';
import { DUMP, PASS } from './stored.ts';

/** A server on which many programs run at the same time, each with a name of its own. */
export class ModelStage {
  readonly driver: RedisDriver;
  readonly messages: HeardMessages;
  readonly #server: RedisServer;
  readonly #client: { destroy(): void };
  #programs = 0;

  private constructor(
    server: RedisServer,
    client: { destroy(): void },
    driver: RedisDriver,
    messages: HeardMessages,
  ) {
    this.#server = server;
    this.#client = client;
    this.driver = driver;
    this.messages = messages;
  }

  static async open(): Promise<ModelStage> {
    const server = await startRedisServer();
    const client = createClient({ url: server.url });
    client.on('error', () => undefined);
    await client.connect();
    const stage = new ModelStage(server, client, driverFor(client), await HeardMessages.open(server.port));
    // A request that has to be sent again because the server does not know its script would meet another fate.
    for (const { sent } of scriptSources) await stage.load(sent);
    for (const source of [DUMP, PASS]) await stage.load(source);
    return stage;
  }

  nextName(): string {
    return `name${(this.#programs += 1)}`;
  }

  async load(source: string): Promise<string> {
    return String(await this.#server.command('SCRIPT', 'LOAD', source));
  }

  async close(): Promise<void> {
    this.messages.close();
    this.#client.destroy();
    await this.#server.stop();
  }
}
