import { afterAll, beforeAll } from 'vitest';
import type { RedisSettings, RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { type ClientName, openLocks } from '../../faults/redis/open-locks.ts';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { NodeWaits } from '../node-waits.ts';
import { Servers, type Topology } from '../servers.ts';
import { Redisson, type RedissonThread, type RedissonVersion } from './redisson.ts';

export interface Setting {
  readonly version: RedissonVersion;
  readonly topology: Topology;
  readonly client: ClientName;
}

/** Of those whose holds are to be seen renewed, or to end with their process. */
export const BRIEF_MS = 2000;

/** A server or a cluster, a JVM with Redisson and Holdfast in this process, for the tests of one file. */
export class InteropStage {
  readonly setting: Setting;
  readonly servers: Servers;
  readonly #open: AsyncDisposable[] = [];
  readonly #waits = new NodeWaits();
  #names = 0;
  #java: Redisson | undefined;
  #locks: RedisSynchronizers | undefined;
  #brief: RedisSynchronizers | undefined;

  private constructor(setting: Setting, servers: Servers) {
    this.setting = setting;
    this.servers = servers;
  }

  static async open(setting: Setting): Promise<InteropStage> {
    const stage = new InteropStage(setting, await Servers.start(setting.topology));
    stage.#locks = await stage.openLocks();
    stage.#brief = await stage.openLocks({ renewalLeaseMs: BRIEF_MS });
    stage.#java = await stage.startJava();
    return stage;
  }

  /** With leases of half a minute: what happens sooner happened because a client was notified. */
  get locks(): RedisSynchronizers {
    return this.#locks!;
  }

  /** With leases that end within a test. */
  get brief(): RedisSynchronizers {
    return this.#brief!;
  }

  thread(): RedissonThread {
    return this.#java!.thread(0);
  }

  /** Of a client with a watchdog that has to come round within a test. */
  briefThread(): RedissonThread {
    return this.#java!.thread(1);
  }

  newName(): string {
    return `name ${(this.#names += 1)}`;
  }

  /** Another JVM, to be killed. */
  async startJava(): Promise<Redisson> {
    const java = await Redisson.start(this.setting.version, this.servers.place, [
      {},
      { lockWatchdogTimeout: BRIEF_MS },
    ]);
    this.#open.push(java);
    return java;
  }

  async openLocks(settings: RedisSettings = {}): Promise<RedisSynchronizers> {
    const locks = await openLocks(this.setting.client, this.servers.place, settings);
    this.#waits.listenTo(locks);
    this.#open.push(locks);
    return locks;
  }

  server(name: string): Promise<RedisServer> {
    return this.servers.of(name);
  }

  /** Begins something that waits in this process, and resolves once it does, to the promise of its outcome. */
  get nodeWaits() {
    return this.#waits.begin;
  }

  /** The same for Java: it listens. First of all the client that waited before must have stopped listening. */
  async javaWaits<T>(
    channel: string,
    name: string,
    begin: () => Promise<T>,
  ): Promise<{ readonly outcome: Promise<T> }> {
    await waitFor('no client listens any more', async () => !(await this.isListened(channel, name)));
    const outcome = begin();
    outcome.catch(() => undefined);
    await waitFor('a client waits in Java', () => this.isListened(channel, name));
    return { outcome };
  }

  async isListened(channel: string, name: string): Promise<boolean> {
    return (await this.#listeners(channel, name)) > 0;
  }

  async close(): Promise<void> {
    for (const each of this.#open) await each[Symbol.asyncDispose]();
    await this.servers.stop();
  }

  /** How many connections listen to channels that begin so; Java's and those of this process. */
  async #listeners(channel: string, name: string): Promise<number> {
    const server = await this.server(name);
    const shard = this.setting.topology === 'cluster' ? 'SHARD' : '';
    const escaped = channel.replaceAll(/[[\]?*\\]/g, String.raw`\$&`);
    const channels = (await server.command('PUBSUB', `${shard}CHANNELS`, `${escaped}*`)) as string[];
    const counts = (await server.command('PUBSUB', `${shard}NUMSUB`, ...channels)) as (string | number)[];
    return counts.reduce<number>((sum, count, at) => (at % 2 === 1 ? sum + Number(count) : sum), 0);
  }
}

/** A stage for the tests of one file. */
export function interopStage(setting: Setting): () => InteropStage {
  let stage: InteropStage | undefined;
  beforeAll(async () => {
    stage = await InteropStage.open(setting);
  });
  afterAll(() => stage?.close());
  return () => stage!;
}
