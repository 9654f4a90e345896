import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { MS } from './redisson.ts';
import { interopStage } from './stage.ts';

// What Redisson's own tests assert between its threads, asserted here between a Java thread and Node.

describeJava.concurrent('RedissonSemaphoreTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'ioredis' });

  test('testAcquireAfterAddPermits', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('semaphore', name, 'trySetPermits', 0);
    const pool = stage().locks.bareSemaphore(name, { permits: 2 });
    const waiting = await stage().nodeWaits(name, () => pool.acquire({ permits: 2 }));
    await java.call('semaphore', name, 'addPermits', 1);
    expect(await pool.available()).toBe(1);
    await java.call('semaphore', name, 'addPermits', 1);
    const hold = await waiting.outcome;
    expect(await java.call('semaphore', name, 'availablePermits')).toBe(0);
    await hold.release();
    expect(await java.call('semaphore', name, 'availablePermits')).toBe(2);
  });

  test('testTrySetPermits', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    expect(await java.call('semaphore', name, 'trySetPermits', 10)).toBe(true);
    expect(await java.call('semaphore', name, 'trySetPermits', 15)).toBe(false);
    expect(await stage().locks.bareSemaphore(name, { permits: 10 }).available()).toBe(10);
    const other = stage().newName();
    await stage()
      .locks.bareSemaphore(other, { permits: 3 })
      .run(() => undefined);
    expect(await java.call('semaphore', other, 'trySetPermits', 15)).toBe(false);
    expect(await java.call('semaphore', other, 'availablePermits')).toBe(3);
  });

  test('testConcurrencyLoopMax_MultiInstance', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const permits = 2 ** 31 - 1;
    await java.call('semaphore', name, 'trySetPermits', permits);
    const pool = stage().locks.bareSemaphore(name, { permits });
    const threads = [1, 2, 3].map(() => stage().thread());
    const ofJava = threads.map(async (thread) => {
      for (let turn = 0; turn < 5; turn += 1) {
        await thread.call('semaphore', name, 'acquire', permits);
        await thread.call('semaphore', name, 'release', permits);
      }
    });
    const ofNode = [1, 2, 3].map(async () => {
      for (let turn = 0; turn < 5; turn += 1) await pool.run(() => undefined, { permits });
    });
    await Promise.all([...ofJava, ...ofNode]);
    expect(await java.call('semaphore', name, 'availablePermits')).toBe(permits);
  });

  test('testReducePermits', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('semaphore', name, 'trySetPermits', 10);
    const pool = stage().locks.bareSemaphore(name, { permits: 10 });
    const hold = await pool.acquire({ permits: 10 });
    await java.call('semaphore', name, 'addPermits', -5);
    expect(await java.call('semaphore', name, 'availablePermits')).toBe(-5);
    expect(await pool.tryAcquire()).toBeNull();
    await hold.release();
    expect(await java.call('semaphore', name, 'availablePermits')).toBe(5);
    expect(await pool.available()).toBe(5);
  });

  test('testBlockingNAcquire', async () => {
    const [name, vain, java] = [stage().newName(), stage().newName(), stage().thread()];
    // Of a name of its own: on a busy machine Redisson may go on listening for long after it has given up.
    const other = await stage().locks.bareSemaphore(vain, { permits: 5 }).acquire({ permits: 3 });
    expect(await java.call('semaphore', vain, 'tryAcquire', 4, { ms: 300 })).toBe(false);
    await other.release();
    const pool = stage().locks.bareSemaphore(name, { permits: 5 });
    const hold = await pool.acquire({ permits: 3 });
    const waiting = await stage().javaWaits(`redisson_sc:{${name}}`, name, () =>
      java.call('semaphore', name, 'acquire', 4),
    );
    await hold.release();
    await waiting.outcome;
    expect(await pool.available()).toBe(1);
    expect(await pool.tryAcquire({ permits: 2, timeoutMs: 200 })).toBeNull();
    await java.call('semaphore', name, 'release', 4);
    await pool.run(() => undefined, { permits: 5 });
  });

  test('testDrainPermits', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const pool = stage().locks.bareSemaphore(name, { permits: 10 });
    const hold = await pool.acquire({ permits: 3 });
    expect(await java.call('semaphore', name, 'drainPermits')).toBe(7);
    expect(await pool.tryAcquire()).toBeNull();
    await hold.release();
    expect(await pool.available()).toBe(3);
  });

  test('testReleaseIfExists', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    expect(await java.call('semaphore', name, 'releaseIfExists', 1)).toBe(false);
    const pool = stage().locks.bareSemaphore(name, { permits: 1 });
    const hold = await pool.acquire();
    const waiting = await stage().nodeWaits(name, () => pool.acquire());
    expect(await java.call('semaphore', name, 'releaseIfExists', 1)).toBe(true);
    await (await waiting.outcome).release();
    await hold.release();
  });
});

describeJava.concurrent('RedissonPermitExpirableSemaphoreTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });

  test('testAvailablePermits', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const seats = stage().locks.permitSemaphore(name, { permits: 3 });
    await seats.acquire({ leaseMs: 1500 });
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(2);
    await waitFor('Java gives it back', async () => {
      return (await java.call('permitSemaphore', name, 'availablePermits')) === 3;
    });
    await java.call('permitSemaphore', name, 'acquire', 1500, MS);
    expect(await seats.available()).toBe(2);
    await waitFor('Node gives it back', async () => (await seats.available()) === 3);
    expect(await java.call('permitSemaphore', name, 'getPermits')).toBe(3);
    expect(await java.call('permitSemaphore', name, 'acquiredPermits')).toBe(0);
  });

  test('testReleaseExpired', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const seats = stage().locks.permitSemaphore(name, { permits: 1 });
    await java.call('permitSemaphore', name, 'trySetPermits', 1);
    const id = String(await java.call('permitSemaphore', name, 'acquire', 200, MS));
    const hold = await seats.acquire({ timeoutMs: 10_000 });
    expect(await java.call('permitSemaphore', name, 'tryRelease', id)).toBe(false);
    expect(await seats.release(id)).toBe(false);
    hold.throwIfLost();
    await hold.release();
  });

  test('testSetPermits', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const seats = stage().locks.permitSemaphore(name, { permits: 2 });
    const held = [await seats.acquire(), await seats.acquire()];
    const waiting = await stage().nodeWaits(name, () => seats.acquire());
    // Another number in all: the client that opened it with the old one is notified, and holds what it has.
    await java.call('permitSemaphore', name, 'setPermits', 3);
    await expect(waiting.outcome).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
    await (await stage().brief.permitSemaphore(name, { permits: 3 }).acquire()).release();
    await java.call('permitSemaphore', name, 'setPermits', 1);
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(-1);
    for (const hold of held) await hold.release();
    expect(await java.call('permitSemaphore', name, 'availablePermits')).toBe(1);
  });

  test('testReleaseManyNotExistOrExpired', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const seats = stage().locks.permitSemaphore(name, { permits: 3 });
    const held = [await seats.acquire(), await seats.acquire()];
    const ids = held.map(({ id }) => id);
    expect(await java.call('permitSemaphore', name, 'tryRelease', [...ids, '0'.repeat(32)])).toBe(0);
    expect(await java.call('permitSemaphore', name, 'acquiredPermits')).toBe(2);
    expect(await java.call('permitSemaphore', name, 'tryRelease', ids)).toBe(2);
    for (const hold of held) await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(await seats.available()).toBe(3);
  });

  test('testGetLeaseTime', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const seats = stage().locks.permitSemaphore(name, { permits: 2 });
    const { id } = await seats.acquire({ leaseMs: 60_000 });
    const leftMs = Number(await java.call('permitSemaphore', name, 'getLeaseTime', id));
    expect(leftMs).toBeGreaterThan(50_000);
    expect(leftMs).toBeLessThanOrEqual(60_000);
    const forever = String(await java.call('permitSemaphore', name, 'acquire'));
    expect(await java.call('permitSemaphore', name, 'getLeaseTime', forever)).toBe(-1);
    expect(await seats.tryAcquire()).toBeNull();
    await expect(java.call('permitSemaphore', name, 'getLeaseTime', '0'.repeat(32))).rejects.toThrow(
      /RedisException|IllegalArgument/,
    );
    expect(await seats.release(forever)).toBe(true);
  });
});

describeJava.concurrent('RedissonCountDownLatchTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'ioredis' });

  test('testDelete', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const latch = stage().locks.latch(name);
    await latch.trySetCount(1);
    // Redisson may leave its own waiters asleep when a latch is deleted: then they look again when their time is over.
    const waiting = await stage().javaWaits(`redisson_countdownlatch__channel__{${name}}`, name, () =>
      java.call('latch', name, 'await', 1500, MS),
    );
    const ours = latch.await({ timeoutMs: 10_000 });
    expect(await stage().thread().call('latch', name, 'delete')).toBe(true);
    await ours;
    expect(await waiting.outcome).toBe(true);
    expect(await latch.count()).toBe(0);
  });

  test('testCountDown', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const latch = stage().locks.latch(name);
    await java.call('latch', name, 'await');
    await latch.await();
    await latch.trySetCount(1);
    await java.call('latch', name, 'countDown');
    await java.call('latch', name, 'countDown');
    expect(await latch.countDown()).toBe(0);
    expect(await java.call('latch', name, 'getCount')).toBe(0);
    expect(await java.call('latch', name, 'trySetCount', 2)).toBe(true);
    expect(await latch.countDown(2)).toBe(0);
    await java.call('latch', name, 'await');
  });
});

describeJava.concurrent('RedissonMultiLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });

  test('three locks as one', async () => {
    const names = [stage().newName(), stage().newName(), stage().newName()];
    const java = stage().thread();
    const one = await stage().locks.lock(names[1]!).acquire();
    expect(await java.call('multiLock', names, 'tryLock')).toBe(false);
    // All or none: what was taken before the second was refused has been given back.
    expect(await stage().locks.lock(names[0]!).isLocked()).toBe(false);
    await one.release();
    expect(await java.call('multiLock', names, 'tryLock')).toBe(true);
    for (const name of names) expect(await stage().locks.lock(name).tryAcquire()).toBeNull();
    await java.call('multiLock', names, 'unlock');
    for (const name of names)
      await stage()
        .locks.lock(name)
        .run(() => undefined);
  });
});
