import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect, EngineError, isHoldfastError } from 'holdfast';
import { freePort } from '../../fixtures/processes/free-port.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

const SECRET = 'a-secret-word';

describeRedis('connect to Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer({ args: { requirepass: SECRET } });
  });
  afterAll(() => server.stop());
  const url = (password: string): `redis${string}` => `redis://:${password}@127.0.0.1:${server.port}`;

  test('two that connect exclude each other, and nothing is left when they close', async () => {
    const before = await connections();
    const one = await connect(url(SECRET));
    const other = await connect(url(SECRET), { keyPrefix: 'app:', label: 'app' });
    const hold = await one.lock('app:report').acquire();
    expect(other.label).toBe('app');
    expect(await other.lock('report').tryAcquire(), 'a prefix is part of the name').toBeNull();
    const waiting = other.lock('report').acquire();
    await hold.release();
    await (await waiting).release();
    await one.close();
    await other.close();
    await waitFor('all connections are gone', async () => (await connections()) <= before);
  });

  test('an address gives settings, and the program has the last word', async () => {
    await using one = await connect(`${url(SECRET)}/2?keyPrefix=app%3A&label=app`);
    await using other = await connect(`${url(SECRET)}?db=2&keyPrefix=else:&label=else`, {
      keyPrefix: 'app:',
    });
    const unset = { keyPrefix: undefined } as object;
    await using third = await connect(`${url(SECRET)}?db=2&keyPrefix=app:`, unset);
    expect([one.label, other.label]).toEqual(['app', 'else']);
    const hold = await one.lock('report').acquire();
    expect(await other.lock('report').tryAcquire()).toBeNull();
    expect(await third.lock('report').tryAcquire(), 'an unset setting takes nothing away').toBeNull();
    await hold.release();
    await expect(connect(`${url(SECRET)}?keyprefix=app:`)).rejects.toThrow(/unknown parameter "keyprefix"/);
    await expect(connect(`${url(SECRET)}?commandTimeoutMs=1`)).rejects.toThrow(RangeError);
  });

  async function connections(): Promise<number> {
    return String(await server.command('CLIENT', 'LIST'))
      .trim()
      .split('\n').length;
  }

  test('bad settings are refused before anything is opened', async () => {
    const before = await connections();
    for (const settings of [
      { keyprefix: 'x' },
      { keyPrefix: 5 },
      { commandTimeoutMs: 0 },
      { commandTimeoutMs: '5' },
      { pubSub: 'loud' },
      { fenceRetentionMs: 5 },
      { replicas: { atLeast: 0, timeoutMs: 100 } },
      { replicas: 1 },
    ]) {
      await expect(connect(url(SECRET), settings as object)).rejects.toSatisfy((error) => {
        expect(isHoldfastError(error), String(error)).toBe(true);
        expect(error.code, String(error)).toBe('BAD_ARGUMENT');
        return true;
      });
    }
    await waitFor('nothing was left open', async () => (await connections()) <= before);
  });

  test('a wrong password and a server that is not there are clear errors without the password', async () => {
    const wrong = 'not-the-secret';
    for (const [address, retryable] of [
      [url(wrong), false],
      [`redis://:${wrong}@127.0.0.1:${await freePort()}`, true],
    ] as const) {
      await expect(connect(address)).rejects.toSatisfy((error) => {
        expect(error, String(error)).toBeInstanceOf(EngineError);
        expect(error.retryable).toBe(retryable);
        expect(JSON.stringify([error.message, error.stack, String(error.cause)])).not.toContain(wrong);
        return true;
      });
    }
  });

  test('through Sentinels', async () => {
    await using sentinel = disposable(await startRedisSentinel());
    await using locks = await connect(sentinel.url as `redis${string}`);
    expect(await locks.lock('a').run(() => 'in')).toBe('in');
  });

  test('to a cluster', async () => {
    await using cluster = disposable(await startRedisCluster({ replicasPerMaster: 0 }));
    await using locks = await connect(cluster.url as `redis${string}`);
    const hold = await locks.lock('a').acquire();
    const waiting = locks.fairLock('b').run(() => locks.lock('a').acquire());
    await hold.release();
    await (await waiting).release();
    expect(() => locks.lock('a{b')).toThrow(/spread over several slots/);
    expect(() => locks.latch('a{b}c')).toThrow(/a latch takes none/);
  });
});

function disposable<T extends { stop(): Promise<void> }>(servers: T): T & AsyncDisposable {
  return Object.assign(servers, { [Symbol.asyncDispose]: () => servers.stop() });
}
