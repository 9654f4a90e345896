import { createClient } from 'redis';
import { afterAll, beforeAll, expect } from 'vitest';
import { Client } from '../../../src/core/client.ts';
import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { Scripts } from '../../../src/engines/redis/requests/scripts.ts';
import { Channels } from '../../../src/engines/redis/messages/channels.ts';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { Keys } from '../../../src/engines/redis/keys.ts';
import { PubSubMode } from '../../../src/engines/redis/messages/pub-sub-mode.ts';
import type { RedisContext } from '../../../src/engines/redis/redis-context.ts';
import type { AcquireAsk } from '../../../src/spi/verbs/holding.ts';
import { startRedisServer, type RedisServer } from '../../fixtures/redis/redis-server.ts';
import type { RespArgument } from '../../fixtures/redis/resp-connection.ts';
import type { RespReply } from '../../fixtures/redis/resp-parser.ts';
import type { RespSubscription } from '../../fixtures/redis/resp-subscription.ts';

const COMMAND_TIMEOUT_MS = 3000;
const END = 'golden:end';

/** A server, a client of ours whose owners are made by hand, and a client that listens to everything. */
export class GoldenStage {
  readonly server: RedisServer;
  readonly parts: RedisContext;
  readonly #heard: RespSubscription;
  readonly #close: () => Promise<void>;
  #names = 0;

  private constructor(
    server: RedisServer,
    parts: RedisContext,
    heard: RespSubscription,
    close: () => Promise<void>,
  ) {
    this.server = server;
    this.parts = parts;
    this.#heard = heard;
    this.#close = close;
  }

  static async open(): Promise<GoldenStage> {
    const server = await startRedisServer();
    const connection = createClient({ url: server.url });
    connection.on('error', () => undefined);
    await connection.connect();
    const driver = driverFor(connection);
    const client = new Client({
      label: 'golden',
      clock: systemClock,
      random: systemRandom,
      renewalLeaseMs: 30_000,
      maxHoldMs: Infinity,
    });
    const scripts = new Scripts({
      client,
      driver,
      commandTimeoutMs: COMMAND_TIMEOUT_MS,
      confirming: undefined,
    });
    const channels = new Channels({
      client,
      open: (events) => driver.openSubscriber(events),
      patienceMs: COMMAND_TIMEOUT_MS,
    });
    const parts: RedisContext = {
      client,
      scripts,
      channels,
      keys: new Keys(''),
      pubSub: new PubSubMode({ driver, option: 'plain', clock: client.clock, timeoutMs: COMMAND_TIMEOUT_MS }),
      fenceRetentionMs: 60_000,
      cellRetentionMs: 60_000,
      fairLockWaitMs: 300_000,
      foreignAbsentMs: 0,
    };
    return new GoldenStage(server, parts, await server.subscribe({ pattern: '*' }), async () => {
      await client.close();
      await channels.close();
      scripts.close();
      connection.destroy();
      await server.stop();
    });
  }

  newName(): string {
    return `golden${(this.#names += 1)}`;
  }

  /** What Java would do, and what it would see. */
  command(...words: readonly RespArgument[]): Promise<RespReply> {
    return this.server.command(...words);
  }

  async hash(key: string): Promise<Readonly<Record<string, string>>> {
    const words = (await this.command('HGETALL', key)) as readonly string[];
    return Object.fromEntries(words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1]!]] : [])));
  }

  /** The members of a sorted set and their scores. */
  async scores(key: string): Promise<ReadonlyMap<string, number>> {
    const words = (await this.command('ZRANGE', key, 0, -1, 'WITHSCORES')) as readonly string[];
    return new Map(
      words.flatMap((word, at) => (at % 2 === 0 ? [[word, Number(words[at + 1])] as const] : [])),
    );
  }

  async ttl(key: string): Promise<number> {
    return Number(await this.command('PTTL', key));
  }

  async exists(key: string): Promise<boolean> {
    return (await this.command('EXISTS', key)) === 1;
  }

  /** All keys in which a name occurs. */
  async keysAbout(name: string): Promise<readonly string[]> {
    return ((await this.command('KEYS', `*${name}*`)) as string[]).toSorted();
  }

  async nowMs(): Promise<number> {
    const [seconds, micros] = (await this.command('TIME')) as [string, string];
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** What was published since the last time, each as channel and payload. */
  async heard(): Promise<readonly (readonly [string, string])[]> {
    await this.command('PUBLISH', END, '');
    const heard: [string, string][] = [];
    for (let one = await this.#heard.next(); one.channel !== END; one = await this.#heard.next()) {
      heard.push([one.channel, one.payload]);
    }
    return heard;
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** An acquisition of a hand-made owner. */
export function asking<More extends object>(owner: string, leaseMs: number, more: More): AcquireAsk & More {
  return { owner, leaseMs, wait: false, interestMs: 300_000, ...more };
}

/** As long as was asked for, less what the machine took to look. */
export function expectAround(foundMs: number, wantedMs: number): void {
  // A part of a millisecond may have been rounded up.
  expect(foundMs).toBeLessThanOrEqual(wantedMs + 2);
  expect(foundMs).toBeGreaterThan(wantedMs - 8000);
}

/** A server for the tests of one file. Each test has a name of its own, and hears nothing of those before it. */
export function goldenStage(): () => Promise<{ readonly stage: GoldenStage; readonly name: string }> {
  let stage: GoldenStage;
  beforeAll(async () => {
    stage = await GoldenStage.open();
  });
  afterAll(() => stage.close());
  return async () => {
    await stage.heard();
    return { stage, name: stage.newName() };
  };
}
