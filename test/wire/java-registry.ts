import { randomUUID } from 'node:crypto';
import type { RedisServer } from '../fixtures/redis/redis-server.ts';
import type { RespSubscription } from '../fixtures/redis/resp-subscription.ts';

/** Which of the two channels a version of Spring uses: before 6.4.8 and 6.5.3 it was one for the whole registry. */
export type Version = 'new' | 'old';

/**
 * A Java program with a `RedisLockRegistry`, as far as Redis can see it: one id for the whole registry, and the effects
 * of its scripts. What it does between them, the wait for a message and the pause between two tries, is up to the tests.
 */
export class JavaRegistry {
  readonly clientId = randomUUID();
  readonly #server: RedisServer;
  readonly #registryKey: string;
  readonly #version: Version;

  constructor(server: RedisServer, registryKey: string, version: Version = 'new') {
    this.#server = server;
    this.#registryKey = registryKey;
    this.#version = version;
  }

  keyOf(lockKey: string): string {
    return `${this.#registryKey}:${lockKey}`;
  }

  async tryLock(lockKey: string, expireAfterMs = 60_000): Promise<boolean> {
    const key = this.keyOf(lockKey);
    if ((await this.#server.command('SET', key, this.clientId, 'NX', 'PX', expireAfterMs)) === 'OK')
      return true;
    return this.renew(lockKey, expireAfterMs);
  }

  async renew(lockKey: string, expireAfterMs: number): Promise<boolean> {
    const key = this.keyOf(lockKey);
    if ((await this.#server.command('GET', key)) !== this.clientId) return false;
    return (await this.#server.command('PEXPIRE', key, expireAfterMs)) === 1;
  }

  /** As `SPIN_LOCK` does it: a waiter finds out. */
  async unlock(lockKey: string): Promise<boolean> {
    const key = this.keyOf(lockKey);
    if ((await this.#server.command('GET', key)) !== this.clientId) return false;
    return (await this.#server.command('UNLINK', key)) === 1;
  }

  /** As `PUB_SUB_LOCK` does it. */
  async unlockAndTell(lockKey: string): Promise<boolean> {
    if (!(await this.unlock(lockKey))) return false;
    await this.#server.command('PUBLISH', this.#channelOf(lockKey), this.keyOf(lockKey));
    return true;
  }

  /** What a `PUB_SUB_LOCK` registry listens to once a client waits. */
  listen(): Promise<RespSubscription> {
    const channel = `${this.#registryKey}-channel`;
    return this.#server.subscribe(this.#version === 'new' ? { pattern: `${channel}:*` } : { channel });
  }

  #channelOf(lockKey: string): string {
    const channel = `${this.#registryKey}-channel`;
    return this.#version === 'new' ? `${channel}:${this.keyOf(lockKey)}` : channel;
  }
}
