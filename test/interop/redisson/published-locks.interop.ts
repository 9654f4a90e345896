import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { MS } from './redisson.ts';
import { javaSide } from './sides.ts';
import { interopStage } from './stage.ts';

// What Redisson's own tests assert between its threads, asserted here between a Java thread and Node. Each test has the
// name that it has there; docs/wire/redisson.md says where the others are.
const HOUR_MS = 3_600_000;

describeJava.concurrent('RedissonLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });

  test('testRemainTimeToLive', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const lock = stage().locks.lock(name);
    await java.call('lock', name, 'lock', HOUR_MS, MS);
    expect(await lock.remainingMs()).toBeGreaterThan(HOUR_MS - 10_000);
    await java.call('lock', name, 'unlock');
    expect(await lock.remainingMs()).toBe(0);
    expect(await java.call('lock', name, 'remainTimeToLive')).toBe(-2);
    const hold = await lock.acquire({ leaseMs: HOUR_MS });
    expect(await java.call('lock', name, 'remainTimeToLive')).toBeGreaterThan(HOUR_MS - 10_000);
    await hold.release();
    await java.call('lock', name, 'lock');
    expect(await lock.remainingMs()).toBeLessThanOrEqual(30_000);
    await java.call('lock', name, 'unlock');
  });

  test('testRemainTimeToLive2', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    for (let time = 0; time < 3; time += 1) await java.call('lock', name, 'lock', 10_000, MS);
    for (let time = 0; time < 2; time += 1) await java.call('lock', name, 'unlock');
    const leftMs = await stage().locks.lock(name).remainingMs();
    expect(leftMs).toBeGreaterThan(5000);
    expect(leftMs).toBeLessThanOrEqual(10_000);
    await java.call('lock', name, 'unlock');
  });

  test('testLockIsNotRenewedAfterInterruptedTryLock', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('lock', name, 'lock');
    const stop = new AbortController();
    const { outcome } = await stage().nodeWaits(name, () =>
      stage().locks.lock(name).acquire({ signal: stop.signal }),
    );
    stop.abort();
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
    await java.call('lock', name, 'unlock');
    expect(await (await stage().server(name)).command('EXISTS', name)).toBe(0);
    expect(await java.call('lock', name, 'tryLock')).toBe(true);
    await java.call('lock', name, 'unlock');
  });

  test('testSubscriptionsPerConnection', async () => {
    const names = [1, 2, 3, 4, 5].map(() => stage().newName());
    const ofJava = async (name: string): Promise<void> => {
      const java = javaSide(stage().thread(), 'lock', name);
      for (let turn = 0; turn < 10; turn += 1) {
        await java.acquire();
        await java.release();
      }
    };
    const ofNode = async (name: string): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1)
        await stage()
          .locks.lock(name)
          .run(() => undefined);
    };
    await Promise.all(names.flatMap((name) => [ofJava(name), ofNode(name), ofJava(name), ofNode(name)]));
    for (const name of names) {
      const channel = `redisson_lock__channel:{${name}}`;
      await waitFor('no client listens any more', async () => !(await stage().isListened(channel, name)));
      expect(await stage().isListened(channel, name)).toBe(false);
    }
  });

  test('testLockListener', async () => {
    const name = stage().newName();
    const server = await stage().server(name);
    await server.command('CONFIG', 'SET', 'notify-keyspace-events', 'Egx');
    using heard = await server.subscribe({ pattern: '__keyevent@0__:*' });
    const eventOf = async (): Promise<string> => {
      for (;;) {
        const { channel, payload } = await heard.next();
        if (payload === name && /:(del|expired)$/.test(channel)) return channel.replace(/^.*:/, '');
      }
    };
    // What Java listens to are events of the server, which come from what Node does to the key as well.
    await (await stage().locks.lock(name).acquire()).release();
    expect(await eventOf()).toBe('del');
    await stage().locks.lock(name).acquire({ leaseMs: 200 });
    const reading = setInterval(() => void server.command('EXISTS', name), 20);
    expect(await eventOf()).toBe('expired');
    clearInterval(reading);
  });
});

describeJava.concurrent('RedissonFairLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'ioredis' });
  const queueOf = (name: string): string => `redisson_lock_queue:{${name}}`;

  test('testLeaseTimeout', async () => {
    const name = stage().newName();
    const server = await stage().server(name);
    // Node looks again every third of its renewal lease: a Java lease that ends tells no client. With one that is much shorter,
    // a waiter on a busy machine could be late to say that it still lives, and would lose its place.
    const lock = (await stage().openLocks({ renewalLeaseMs: 9000 })).fairLock(name);
    const first = await lock.acquire();
    const entered: number[] = [];
    const asked: Promise<unknown>[] = [];
    for (let place = 0; place < 8; place += 1) {
      const entering =
        place % 2 === 0
          ? stage().thread().call('fairLock', name, 'tryLock', 50_000, 300, MS)
          : lock.acquire({ timeoutMs: 50_000, leaseMs: 300 });
      asked.push(entering.then(() => entered.push(place)));
      await waitFor('it stands in line', async () => {
        return (await server.command('LLEN', queueOf(name))) === place + 1;
      });
    }
    await first.release();
    // None of them gives it back.
    await Promise.all(asked);
    expect(entered).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  }, 60_000);

  test('testWaitTimeoutDrift', async () => {
    const name = stage().newName();
    const server = await stage().server(name);
    const hold = await stage().locks.fairLock(name).acquire();
    const asking = Array.from({ length: 24 }, async (_, at) => {
      await sleep(at * 40);
      return at % 2 === 0
        ? stage().thread().call('fairLock', name, 'tryLock', 400, MS)
        : stage().locks.fairLock(name).tryAcquire({ timeoutMs: 400 });
    });
    expect(new Set(await Promise.all(asking))).toEqual(new Set([false, null]));
    const patient = stage().thread().call('fairLock', name, 'lock');
    await waitFor('it stands in line', async () => (await server.command('LLEN', queueOf(name))) === 1);
    const scores = (await server.command(
      'ZRANGE',
      `redisson_lock_timeout:{${name}}`,
      0,
      -1,
      'WITHSCORES',
    )) as string[];
    // What is left of the lease and its own patience, and nothing of those who came and went.
    expect(Number(scores[1]) - Date.now()).toBeLessThanOrEqual(30_000 + 300_000);
    expect(scores).toHaveLength(2);
    await hold.release();
    await patient;
  });

  test('testTryLockNonDelayed', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const lock = stage().locks.fairLock(name);
    const hold = await lock.acquire();
    expect(await java.call('fairLock', name, 'tryLock', 200, MS)).toBe(false);
    expect(await lock.tryAcquire({ timeoutMs: 200 })).toBeNull();
    await hold.release();
    expect(await stage().thread().call('fairLock', name, 'tryLock')).toBe(true);
    const server = await stage().server(name);
    expect(await server.command('EXISTS', queueOf(name), `redisson_lock_timeout:{${name}}`)).toBe(0);
  });

  test('testExpire', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('fairLock', name, 'lock', 300, MS);
    const hold = await stage().locks.fairLock(name).acquire({ timeoutMs: 10_000 });
    await expect(java.call('fairLock', name, 'unlock')).rejects.toMatchObject({
      type: 'IllegalMonitorStateException',
    });
    await hold.release();
    // Redisson takes it for a success when the lock is free; Holdfast tells its holder.
    await java.call('fairLock', name, 'unlock');
    const late = await stage().locks.fairLock(name).acquire({ leaseMs: 200 });
    await waitFor('it is over', () => late.lost.aborted);
    await expect(late.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
  });
});

describeJava.concurrent('RedissonFencedLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });

  test('testTokenIncrease', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const lock = stage().locks.lock(name);
    expect(await java.call('fencedLock', name, 'lockAndGetToken')).toBe(1);
    await java.call('fencedLock', name, 'unlock');
    const fences: bigint[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      await lock.run(({ fence }) => void fences.push(fence));
      const token = await java.call('fencedLock', name, 'lockAndGetToken');
      fences.push(BigInt(Number(token)));
      await java.call('fencedLock', name, 'unlock');
    }
    expect(fences).toEqual(fences.toSorted((a, b) => Number(a - b)));
    expect(new Set(fences).size).toBe(6);
    expect(BigInt(Number(await java.call('fencedLock', name, 'getToken')))).toBe(fences.at(-1));
  });

  test('the lease of lockAndGetToken is ignored by Redisson', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    await java.call('fencedLock', name, 'lockAndGetToken', 1000, MS);
    expect(await stage().locks.lock(name).remainingMs()).toBeGreaterThan(1000);
    await java.call('fencedLock', name, 'unlock');
  });
});

describeJava.concurrent('RedissonNonReentrantLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'ioredis' });

  test.each(['nonReentrantLock', 'nonReentrantFairLock'] as const)('%s', async (kind) => {
    const [name, java] = [stage().newName(), stage().thread()];
    const lock = kind === 'nonReentrantLock' ? stage().locks.lock(name) : stage().locks.fairLock(name);
    await java.call(kind, name, 'lock');
    await expect(java.call(kind, name, 'tryLock')).rejects.toMatchObject({
      type: 'IllegalMonitorStateException',
    });
    expect(await lock.tryAcquire()).toBeNull();
    const waiting = await stage().nodeWaits(name, () => lock.acquire());
    await java.call(kind, name, 'unlock');
    const hold = await waiting.outcome;
    expect(await java.call(kind, name, 'tryLock')).toBe(false);
    await hold.release();
  });
});

describeJava.concurrent('RedissonSpinLockTest', () => {
  const stage = interopStage({ version: 'redisson-4', topology: 'single server', client: 'node-redis' });

  test('testTryLockWait', async () => {
    const [name, java] = [stage().newName(), stage().thread()];
    const lock = stage().locks.lock(name);
    const hold = await lock.acquire();
    expect(await java.call('spinLock', name, 'tryLock', 200, MS)).toBe(false);
    const entering = java.call('spinLock', name, 'lock');
    await hold.release();
    await entering;
    expect(await lock.tryAcquire()).toBeNull();
    // It tells no client. A waiter in Node finds out at its next look, Java's own RLock at the end of the lease.
    await java.call('spinLock', name, 'unlock');
    await lock.run(() => undefined);
  });
});
