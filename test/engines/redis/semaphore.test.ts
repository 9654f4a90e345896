import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { RedisSettings } from '../../../src/engines/redis/redis-options.ts';
import { openLocks } from '../../faults/redis/open-locks.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

const WAITERS = 200;
const foreign = { code: 'FOREIGN_STATE' };

/** What the layout of `RPermitExpirableSemaphore` makes of a semaphore, beyond what the suites ask of every engine. */
describeRedis('the semaphore on Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());
  beforeEach(() => server.command('FLUSHALL'));

  const open = (settings?: RedisSettings): Promise<RedisSynchronizers> =>
    openLocks('node-redis', server, settings);

  /** How many commands the server has run, those inside scripts left out. */
  async function calls(): Promise<number> {
    const stats = await server.info('commandstats');
    const counted = ['cmdstat_evalsha', 'cmdstat_eval', 'cmdstat_subscribe', 'cmdstat_unlink', 'cmdstat_del'];
    return counted.reduce((sum, key) => sum + Number(/calls=(\d+)/.exec(stats[key] ?? '')?.[1] ?? 0), 0);
  }

  test('an uncontended acquire is one round trip, and so is its release', async () => {
    await using locks = await open();
    const pool = locks.semaphore('pool', { permits: 3 });
    await pool.run(() => undefined, { permits: 2 });
    const before = await calls();
    const hold = await pool.acquire({ permits: 2 });
    expect((await calls()) - before).toBe(1);
    await hold.release();
    expect((await calls()) - before).toBe(2);
  });

  test('of 200 who wait in one process only the first asks', async () => {
    await using locks = await open();
    const pool = locks.semaphore('pool', { permits: 1 });
    const hold = await pool.acquire();
    const before = await calls();
    let inside = 0;
    const waiting = Array.from({ length: WAITERS }, () =>
      pool.run(() => {
        inside += 1;
        expect(inside).toBe(1);
        inside -= 1;
      }),
    );
    await waitFor('all wait', async () => (await pool.waiters()) === WAITERS);
    // The first asks, listens and asks again. A herd of all of them would be 200 and more by now.
    expect(
      (await calls()) - before,
      `${(await calls()) - before} commands while nothing was released`,
    ).toBeLessThan(10);
    await hold.release();
    await Promise.all(waiting);
    // For each: one who asks too early, one that is granted, one release. A herd would be 20,000.
    const spent = (await calls()) - before;
    expect(spent, `${spent} commands for ${WAITERS} sections`).toBeLessThanOrEqual(4 * WAITERS);
  });

  test('another number is refused also when all permits are back', async () => {
    await using locks = await open();
    await locks.semaphore('pool', { permits: 3 }).run(() => undefined);
    const odd = locks.semaphore('pool', { permits: 4 });
    await expect(odd.acquire()).rejects.toMatchObject(foreign);
    await expect(odd.tryAcquire()).rejects.toMatchObject(foreign);
    await expect(odd.available()).rejects.toMatchObject(foreign);
    expect(await server.command('GET', 'pool')).toBe('3');
  });

  test('a waiter that has another number than the rest does not wait', async () => {
    await using locks = await open();
    const hold = await locks.semaphore('pool', { permits: 2 }).acquire({ permits: 2 });
    await expect(locks.semaphore('pool', { permits: 3 }).acquire()).rejects.toMatchObject(foreign);
    await hold.release();
  });

  test('deleting the key sets another number, and what is held stays held', async () => {
    await using locks = await open();
    const held = await locks.semaphore('pool', { permits: 3 }).acquire({ permits: 2 });
    await server.command('DEL', 'pool');
    const wider = locks.semaphore('pool', { permits: 5 });
    const three = await wider.acquire({ permits: 3 });
    expect(await wider.available()).toBe(0);
    await held.release();
    expect(await wider.available()).toBe(2);
    await expect(locks.semaphore('pool', { permits: 3 }).acquire()).rejects.toMatchObject(foreign);
    await three.release();
  });

  test('a bare semaphore of the same name does not add up, and is refused', async () => {
    await using locks = await open();
    const bare = await locks.bareSemaphore('pool', { permits: 3 }).acquire();
    await expect(locks.semaphore('pool', { permits: 3 }).acquire()).rejects.toMatchObject(foreign);
    bare.throwIfLost();
    await bare.release();
  });

  test('both semaphores of one name share their permits', async () => {
    await using locks = await open();
    const [pool, seats] = [
      locks.semaphore('pool', { permits: 3 }),
      locks.permitSemaphore('pool', { permits: 3 }),
    ];
    const two = await pool.acquire({ permits: 2 });
    const { id } = await seats.acquire();
    expect(await pool.tryAcquire()).toBeNull();
    const waiting = pool.acquire();
    await waitFor('it waits', async () => (await pool.waiters()) === 1);
    expect(await seats.release(id)).toBe(true);
    await (await waiting).release();
    await two.release();
    expect([await pool.available(), await seats.available()]).toStrictEqual([3, 3]);
  });

  test('permits whose holder is gone come back to a waiter when their lease is over', async () => {
    const gone = await open();
    await using locks = await open();
    const leaseMs = 1000;
    const startedAt = performance.now();
    // Closed, a client leaves leased permits with ids where they are, as a killed process does.
    await gone.permitSemaphore('pool', { permits: 3 }).acquire({ permits: 2, leaseMs });
    await gone.close();
    const pool = locks.semaphore('pool', { permits: 3 });
    expect(await pool.tryAcquire({ permits: 2 })).toBeNull();
    const all = await pool.acquire({ permits: 3, timeoutMs: 20_000 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(leaseMs - 20);
    expect(await pool.available()).toBe(0);
    await all.release();
    expect(await server.command('ZCARD', '{pool}:timeout')).toBe(0);
  });

  test('closing releases what has a lease, too', async () => {
    const leaving = await open();
    await using locks = await open();
    await leaving.semaphore('pool', { permits: 3 }).acquire({ permits: 2, leaseMs: 60_000 });
    await leaving.close();
    expect(await locks.semaphore('pool', { permits: 3 }).available()).toBe(3);
  });

  test('more permits than the server should keep for one are refused before it hears of them', async () => {
    await using locks = await open();
    const many = { permits: 1001 };
    const before = await calls();
    for (const pool of [locks.semaphore('pool', many), locks.permitSemaphore('pool', many)]) {
      await expect(pool.acquire(many)).rejects.toMatchObject({
        name: 'RangeError',
        message: expect.stringMatching(/at most 1000 at a time/),
      });
    }
    expect(await calls()).toBe(before);
    const pool = locks.semaphore('pool', many);
    const most = await pool.acquire({ permits: 1000 });
    expect(await server.command('ZCARD', '{pool}:timeout')).toBe(1000);
    await most.release();
    expect(await pool.available()).toBe(1001);
  });
});
