import { setTimeout as sleep } from 'node:timers/promises';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import type { RespConnection } from '../../fixtures/redis/resp-connection.ts';

const TRY = `
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HINCRBY', KEYS[1], ARGV[2], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
  return nil
end
return redis.call('PTTL', KEYS[1])`;

const LEAVE = `
redis.call('DEL', KEYS[1])
return redis.call('PUBLISH', KEYS[2], 0)`;

const LEASE_MS = 30_000;
const ID = '5a4ae8a2-2d2f-4a57-9b2e-0a4f4d3a6f10:1';

/** From the message of a release to the next try: a JVM that is busy, or on another machine. */
const REACTION_MS = 5;

/**
 * Waits for a plain lock as a Java program would: tries, subscribes, and tries again whenever it hears of a release or
 * the time of the holder is over. It knows nothing of our turns, and asks over the network each time.
 */
export class JavaLikeWaiter {
  readonly #server: RedisServer;
  readonly #connection: RespConnection;
  readonly #name: string;
  readonly #channel: string;

  private constructor(server: RedisServer, connection: RespConnection, name: string) {
    this.#server = server;
    this.#connection = connection;
    this.#name = name;
    this.#channel = `redisson_lock__channel:{${name}}`;
  }

  static async open(server: RedisServer, name: string): Promise<JavaLikeWaiter> {
    return new JavaLikeWaiter(server, await server.connect(), name);
  }

  /** How often it had to try. */
  async lock(): Promise<number> {
    if ((await this.#try()) === null) return 1;
    using heard = await this.#server.subscribe({ channel: this.#channel });
    for (let tries = 2; ; tries += 1) {
      const leftMs = await this.#try();
      if (leftMs === null) return tries;
      // A deadline that passes is no error: then the holder's time is over.
      await heard.next(leftMs).catch(() => undefined);
      await sleep(REACTION_MS);
    }
  }

  async unlock(): Promise<void> {
    await this.#connection.command('EVAL', LEAVE, 2, this.#name, this.#channel);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }

  async #try(): Promise<number | null> {
    const leftMs = await this.#connection.command('EVAL', TRY, 1, this.#name, LEASE_MS, ID);
    return leftMs === null ? null : Number(leftMs);
  }
}
