import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { openLocks } from './open-locks.ts';

const GENEROUS_MS = 30_000;

/**
 * What the watchdog of a Java reader does to those who read beside it: `PEXPIRE` of the hash, and of their own keys before
 * Redisson 4.4. With the real one: test/interop/redisson/read-watchdog.interop.ts.
 */
describeRedis('a read lock whose time another program cuts', { timeout: 2 * GENEROUS_MS }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server?.stop());

  const keysOf = async (name: string) => [
    name,
    ...((await server.command('KEYS', `{${name}}:*:rwlock_timeout:1`)) as string[]),
  ];

  async function cut(name: string, toMs: number): Promise<void> {
    for (const key of await keysOf(name)) await server.command('PEXPIRE', key, Math.floor(toMs));
  }

  const leftMs = async (name: string) =>
    Math.min(
      ...(await Promise.all((await keysOf(name)).map((key) => server.command('PTTL', key)))).map(Number),
    );

  test.concurrent('a reader knows that it is gone before a writer is in', async () => {
    const name = 'ended';
    await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 15_000 });
    await using other = await openLocks('ioredis', server);
    const hold = await locks.readWriteLock(name).read.acquire();
    await cut(name, 1);
    await waitFor('the hash has ended', async () => (await server.command('EXISTS', name)) === 0);
    expect(await other.readWriteLock(name).write.tryAcquire()).toBeNull();
    const written = await other.readWriteLock(name).write.acquire({ timeoutMs: GENEROUS_MS });
    expect(hold.lost.aborted).toBe(true);
    await written.release();
    expect(await server.command('EXISTS', `holdfast_read_until:{${name}}`)).toBe(0);
  });

  // The answer to its renewal may be lost: a reader that is gone keeps writers out for as long as it may believe in its hold.
  test.concurrent('a writer stays out after the store has told a reader that it is gone', async () => {
    const name = 'told';
    await using locks = await openLocks('node-redis', server);
    await using other = await openLocks('ioredis', server);
    const hold = await locks.readWriteLock(name).read.acquire();
    await cut(name, 1);
    await waitFor('the hash has ended', async () => (await server.command('EXISTS', name)) === 0);
    await expect(hold.extend(1000)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await other.readWriteLock(name).write.tryAcquire()).toBeNull();
  });

  test.concurrent('a renewal never takes back what a reader was promised', async () => {
    const name = 'promised';
    await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 15_000 });
    const hold = await locks.readWriteLock(name).read.acquire();
    await hold.extend(120_000);
    const promises = async (): Promise<number> =>
      Number(((await server.command('HVALS', `holdfast_read_until:{${name}}`)) as string[])[0]);
    const promised = await promises();
    await cut(name, 10_000);
    await waitFor('it is renewed', async () => (await leftMs(name)) > 11_000, GENEROUS_MS);
    expect(await promises()).toBeGreaterThanOrEqual(promised);
    await hold.release();
  });

  test.concurrent('when a reader leaves after that the writer acquires', async () => {
    const name = 'left';
    await using locks = await openLocks('node-redis', server);
    await using other = await openLocks('ioredis', server);
    const hold = await locks.readWriteLock(name).read.acquire();
    await cut(name, 1);
    await waitFor('the hash has ended', async () => (await server.command('EXISTS', name)) === 0);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await (await other.readWriteLock(name).write.acquire({ timeoutMs: GENEROUS_MS })).release();
  });

  test.concurrent('a writer does not wait for a reader whose time is over', async () => {
    const name = 'dead';
    await using locks = await openLocks('node-redis', server);
    await server.command('HSET', `holdfast_read_until:{${name}}`, `${'d'.repeat(32)}:1`, Date.now() - 1000);
    expect(await locks.readWriteLock(name).write.tryAcquire()).not.toBeNull();
  });

  test.concurrent.for([
    ['renewed', {}],
    ['with a lease of its own', { leaseMs: 60_000 }],
  ] as const)('a hold that is %s gets its time back', async ([kind, options]) => {
    const name = `cut ${kind}`;
    // Looks every 5 s.
    await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 15_000 });
    const hold = await locks.readWriteLock(name).read.acquire(options);
    const promisedMs = await leftMs(name);
    await cut(name, promisedMs / 1.5);
    await waitFor('it has its time back', async () => (await leftMs(name)) > promisedMs / 1.5, GENEROUS_MS);
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
  });

  test.concurrent('a reader that joins a lock which is about to end sees to it in time', async () => {
    const name = 'joined';
    await using locks = await openLocks('node-redis', server, { renewalLeaseMs: 60_000 });
    const [first, second] = [locks.readWriteLock(name).read, locks.readWriteLock(name).read];
    await first.acquire();
    await cut(name, 6000);
    const hold = await second.acquire();
    await cut(name, 6000);
    await waitFor(
      'it has its time back',
      async () => ((await server.command('PTTL', name)) as number) > 6000,
    );
    expect(hold.lost.aborted).toBe(false);
  });
});
