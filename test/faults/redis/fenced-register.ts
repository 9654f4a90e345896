import { RespConnection } from '../../fixtures/redis/resp-connection.ts';

/**
 * The client that has a higher fence has been here: refused. The fence is recorded when it reads, too. A resource that looked
 * at fences only when it writes would accept the old holder's write after the new holder's read, and lose it.
 */
const ENTER = `
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'fence') or 0) then return false end
redis.call('HSET', KEYS[1], 'fence', ARGV[1])
return redis.call('HGET', KEYS[1], 'value') or '0'`;

const WRITE = `
if tonumber(ARGV[1]) < tonumber(redis.call('HGET', KEYS[1], 'fence') or 0) then return 0 end
redis.call('HSET', KEYS[1], 'fence', ARGV[1], 'value', ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[1])
return 1`;

/** What a lock protects: a number that takes part in fencing, on a connection that no driver has a say in. */
export class FencedRegister {
  readonly #connection: RespConnection;
  readonly #key: string;

  private constructor(connection: RespConnection, key: string) {
    this.#connection = connection;
    this.#key = key;
  }

  static async open(port: number, key = 'register'): Promise<FencedRegister> {
    return new FencedRegister(await RespConnection.open({ port, deadlineMs: 60_000 }), key);
  }

  /** The number, or undefined if a client with a higher fence has been here. */
  async read(fence: bigint): Promise<number | undefined> {
    const value = await this.#connection.command('EVAL', ENTER, 1, this.#key, String(fence));
    return value === null ? undefined : Number(value);
  }

  /** Whether it was accepted. */
  async write(fence: bigint, value: number): Promise<boolean> {
    const keys = [this.#key, `${this.#key}:accepted`];
    return (await this.#connection.command('EVAL', WRITE, 2, ...keys, String(fence), value)) === 1;
  }

  async value(): Promise<number> {
    return Number(await this.#connection.command('HGET', this.#key, 'value'));
  }

  /** The fences of the writes that were accepted, in their order. */
  async accepted(): Promise<readonly bigint[]> {
    const fences = await this.#connection.command('LRANGE', `${this.#key}:accepted`, 0, -1);
    return (fences as readonly string[]).map(BigInt);
  }

  [Symbol.dispose](): void {
    this.#connection.close();
  }
}
