import { AsyncLocalStorage } from 'node:async_hooks';
import { systemRandom } from '../../../src/core/time/clock.ts';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { openEngine } from '../../../src/engines/redis/open-engine.ts';
import type { RedisSettings } from '../../../src/engines/redis/redis-options.ts';
import type { Factories, Synchronizers } from '../../../src/index.ts';
import type { HarnessClientOptions, Harness, HarnessTime } from '../../../src/testing/index.ts';
import { MortalClock } from '../mortal-clock.ts';
import { realSurroundings } from '../real-surroundings.ts';
import { slowness } from '../slowness.ts';
import type { UserClient } from '../redis-drivers/client-kinds.ts';
import { MortalDriver } from './mortal-driver.ts';

const KINDS: readonly (keyof Factories)[] = [
  'lock',
  'fairLock',
  'readWriteLock',
  'semaphore',
  'permitSemaphore',
  'latch',
  'barrier',
  'election',
  'monitor',
];

interface Life {
  readonly clock: MortalClock;
  readonly driver: MortalDriver;
  readonly user: UserClient;
}

/** Clients of the Redis engine, each on connections of its own, each of which can be killed. */
export class RedisHarness implements Harness {
  readonly engine = 'redis';
  readonly factories = KINDS;
  readonly extras: readonly string[] = ['springLock', 'bareSemaphore', 'inspector'];
  readonly announces = true;
  readonly time: HarnessTime;
  readonly #connect: () => Promise<UserClient>;
  readonly #settings: RedisSettings;
  readonly #prefix = new AsyncLocalStorage<string>();
  #cases = 0;
  readonly #lives = new Map<Synchronizers, Life>();
  readonly #dead: Life[] = [];

  constructor(connect: () => Promise<UserClient>, settings: RedisSettings = {}, unitMs = 500) {
    this.#connect = connect;
    this.#settings = settings;
    this.time = { ...realSurroundings.time, unitMs: unitMs * slowness };
  }

  async open(options: HarnessClientOptions = {}): Promise<Synchronizers> {
    const user = await this.#connect();
    const clock = new MortalClock(realSurroundings.clock);
    const driver = new MortalDriver(driverFor(user.client));
    const engine = openEngine(
      driver,
      {
        commandTimeoutMs: 2000 * slowness,
        keyPrefix: this.#prefix.getStore() ?? '',
        ...this.#settings,
        ...options,
      },
      { clock, random: systemRandom },
    );
    const close = async (): Promise<void> => {
      await engine.close();
      await user.close();
    };
    const client = { ...engine, close, [Symbol.asyncDispose]: close };
    this.#lives.set(client, { clock, driver, user });
    return client;
  }

  /** In Redis a name is a key, whatever it is the name of: cases that run side by side have a prefix of their own. */
  run(body: () => Promise<void>): Promise<void> {
    return this.#prefix.run(`${++this.#cases}:`, body);
  }

  async crash(client: Synchronizers): Promise<void> {
    const life = this.#life(client);
    life.clock.stop();
    life.driver.cut();
    this.#dead.push(life);
  }

  loseNextReply(client: Synchronizers): void {
    this.#life(client).driver.loseNextReply(0.75 * this.time.unitMs);
  }

  silence(client: Synchronizers): () => void {
    return this.#life(client).driver.silence();
  }

  /** Cases run side by side here: what is left in the store is looked at when all are over. */
  async leftovers(): Promise<readonly string[]> {
    return [];
  }

  /** Connections of those who were killed. */
  async bury(): Promise<void> {
    for (const { driver, user } of this.#dead.splice(0)) {
      await driver.bury();
      await user.close();
    }
  }

  #life(client: Synchronizers): Life {
    const life = this.#lives.get(client);
    if (life === undefined) throw new Error('This client was not opened here.');
    return life;
  }
}
