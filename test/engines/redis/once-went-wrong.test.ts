import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { HoldfastError } from 'holdfast';
import { redis, type RedisSynchronizers } from 'holdfast/redis';
import type { RedisOptions } from '../../../src/engines/redis/redis-options.ts';
import { collectGarbage } from '../../fixtures/collect-garbage.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

/** Schedules that once went wrong, each on a real server. */
describeRedis('what a review of the Redis engine found', () => {
  let server: RedisServer;
  let proxy: TcpProxy;
  const closing: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    proxy = await startTcpProxy(server);
    await server.command('FLUSHALL');
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await proxy.stop();
  });

  async function open(
    settings: Omit<RedisOptions, 'client'> = {},
    port = server.port,
  ): Promise<RedisSynchronizers> {
    const client = createClient({ socket: { host: '127.0.0.1', port } });
    client.on('error', () => undefined);
    await client.connect();
    const locks = redis({ client, ...settings });
    closing.push(
      () => client.destroy(),
      () => locks.close(),
    );
    return locks;
  }

  /** The last script call on a key, word for word: a copy of it may still be on its way. */
  async function lastCallOf(call: () => Promise<unknown>): Promise<string[]> {
    const calls: string[][] = [];
    const monitor = await server.connect({
      unasked: (line) => calls.push([...String(line).matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((one) => one[1]!)),
    });
    await monitor.command('MONITOR');
    await call();
    await waitFor('the call was seen', () => calls.some(([word]) => /^evalsha$/i.test(word ?? '')));
    monitor.close();
    return calls.findLast(([word]) => /^evalsha$/i.test(word ?? ''))!;
  }

  test('a late copy of the release of a read under a write does not free the next one', async () => {
    const locks = await open();
    const { read, write } = locks.readWriteLock('book');
    const owner = locks.owner();
    const writing = await write.acquire({ owner });
    const first = await read.acquire({ owner });
    const late = await lastCallOf(() => first.release());
    const second = await read.acquire({ owner });
    await writing.release();
    await server.command(...late);
    expect(await locks.readWriteLock('book').write.tryAcquire(), 'a client still reads').toBeNull();
    second.throwIfLost();
    await second.release();
  });

  test('the fence of a hold is remembered for as long as it is held', async () => {
    const locks = await open({ fenceRetentionMs: 1000, renewalLeaseMs: 900 });
    const hold = await locks.lock('kept').acquire();
    const started = performance.now();
    await waitFor('the retention is over', () => performance.now() - started > 2500);
    hold.throwIfLost();
    expect((await locks.lock('kept').holder())?.fence).toBe(hold.fence);
    await hold.release();
  });

  test('a token without an end loses the end that another client gave it', async () => {
    await (await (await open()).lock('shared').acquire()).release();
    await (await (await open({ fenceRetentionMs: Infinity })).lock('shared').acquire()).release();
    expect(await server.command('PTTL', 'redisson_lock_token:{shared}')).toBe(-1);
  });

  test('permits come back although the server was away when they were given back', async () => {
    const locks = await open({ commandTimeoutMs: 200 });
    const semaphore = locks.bareSemaphore('pool', { permits: 1 });
    const hold = await semaphore.acquire();
    await server.pause();
    await expect(hold.release()).rejects.toBeInstanceOf(HoldfastError);
    server.resume();
    const next = await semaphore.acquire({ timeoutMs: 20_000 });
    expect(await semaphore.available(), 'they came back once').toBe(0);
    await next.release();
    expect(await semaphore.available()).toBe(1);
  });

  test('cells work over a connection that is slower than a decision is good for', async () => {
    const locks = await open({}, proxy.port);
    proxy.toServer.delayMs = 160;
    proxy.toClient.delayMs = 160;
    const election = locks.election('slow');
    const office = await election.campaign({ value: 'here' });
    expect((await election.leader())?.value).toBe('here');
    await office.release();
  });

  test('closing settles what is under way', async () => {
    const locks = await open({ commandTimeoutMs: 500 });
    await locks.latch('gate').trySetCount(3);
    await server.pause();
    const pending = Promise.allSettled([locks.latch('gate').countDown(), locks.lock('a').isLocked()]);
    await locks.close();
    expect((await pending).map(({ status }) => status)).toStrictEqual(['rejected', 'rejected']);
    server.resume();
  });

  test('a fair lock bears a Java waiter that waits for as long as a number can say', async () => {
    const locks = await open();
    const hold = await locks.fairLock('line').acquire();
    await server.command('RPUSH', 'redisson_lock_queue:{line}', 'java:1');
    await server.command('ZADD', 'redisson_lock_timeout:{line}', '9223372036854775807', 'java:1');
    await expect(locks.fairLock('line').acquire({ timeoutMs: 300 })).rejects.toMatchObject({
      code: 'ACQUIRE_TIMEOUT',
    });
    await hold.release();
  });

  test('a leased write that has ended lets others read, although its owner goes on reading', async () => {
    const locks = await open();
    const { read, write } = locks.readWriteLock('page');
    const owner = locks.owner();
    const writing = await write.acquire({ owner, leaseMs: 500 });
    const reading = await read.acquire({ owner });
    await waitFor('the write has ended', () => writing.lost.aborted);
    const another = await read.acquire({ timeoutMs: 10_000 });
    expect(reading.lost.aborted).toBe(false);
    await another.release();
    await reading.release();
  });

  test('a permit semaphore whose number went is counted anew', async () => {
    const locks = await open();
    const seats = locks.permitSemaphore('seats', { permits: 3 });
    const kept = await seats.acquire();
    await seats.acquire({ leaseMs: 100 });
    await server.command('DEL', 'seats');
    const two = await seats.acquire({ permits: 2, timeoutMs: 10_000 });
    expect(await seats.available()).toBe(0);
    await two.release();
    await kept.release();
    expect(await seats.available()).toBe(3);
  });

  test('calls that were answered are not held on to', async () => {
    const locks = await open({ commandTimeoutMs: 60_000 });
    const lock = locks.lock('busy');
    const settle = async (): Promise<number> => {
      for (let round = 0; round < 3000; round++) await (await lock.acquire()).release();
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await settle();
    const before = await settle();
    const grown = (await settle()) - before;
    expect(grown, `${grown} bytes more after 6,000 calls`).toBeLessThan(1_000_000);
  });
});
