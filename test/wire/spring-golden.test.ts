import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { redis, type RedisSynchronizers, type SpringLockOptions } from '../../src/engines/redis/index.ts';
import { ForeignStateError, LeaseLostError } from '../../src/index.ts';
import { clientKinds, type UserClient } from '../engines/redis-drivers/client-kinds.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { JavaRegistry } from './java-registry.ts';

const OWNER = /^[0-9a-f]{32}:[0-9a-z]+$/;
const TYPES = ['spin', 'pubSub'] as const;

let server: RedisServer;
const clients: UserClient[] = [];
const engines: RedisSynchronizers[] = [];
let names = 0;

async function open(settings: object = {}): Promise<RedisSynchronizers> {
  const user = await clientKinds[0]!.single(server.port);
  clients.push(user);
  const locks = redis({ client: user.client, ...settings });
  engines.push(locks);
  return locks;
}

/** A registry and a lock that no other test uses, for both sides. */
async function bothSides(options: SpringLockOptions, version?: 'new' | 'old') {
  const registryKey = `registry${++names}`;
  const locks = await open();
  return {
    locks,
    registryKey,
    key: `${registryKey}:orders`,
    java: new JavaRegistry(server, registryKey, version),
    lock: locks.springLock(registryKey, 'orders', options),
  };
}

async function ttlOf(key: string): Promise<number> {
  return Number(await server.command('PTTL', key));
}

/** That a wait has begun, so that what wakes it is what comes next. */
async function waiting(lock: { waiters(): Promise<number> }): Promise<void> {
  await waitFor('a client waits', async () => (await lock.waiters()) > 0);
}

/** Whether a waiter has asked for the lock since it has listened to both channels. */
function asksAfterListening(commands: readonly string[], key: string): boolean {
  const [byPattern, byName] = ['"psubscribe"', '"subscribe"'].map((word) =>
    commands.findIndex((line) => line.toLowerCase().includes(word)),
  );
  if (byPattern === -1 || byName === -1) return false;
  return commands
    .slice(Math.max(byPattern!, byName!))
    .some((line) => line.includes('"EVAL') && line.includes(key));
}

describeRedis('what is in Redis for a lock of Spring', () => {
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((locks) => locks.close()));
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  afterAll(() => server.stop());

  describe.each(TYPES)('of the type %s', (type) => {
    test('it is a string with the id of its holder, for sixty seconds', async () => {
      const { lock, key, java } = await bothSides({ type });
      const hold = await lock.acquire();
      expect(lock.kind).toBe('springLock');
      expect(lock.name).toBe(key);
      expect(await server.command('TYPE', key)).toBe('string');
      const owner = String(await server.command('GET', key));
      expect(owner).toMatch(OWNER);
      const ttlMs = await ttlOf(key);
      expect(ttlMs, `${ttlMs}`).toBeGreaterThan(50_000);
      expect(ttlMs, `${ttlMs}`).toBeLessThanOrEqual(60_000);
      expect(hold.remainingMs, `${hold.remainingMs}`).toBeGreaterThan(50_000);
      expect(hold.remainingMs, `${hold.remainingMs}`).toBeLessThan(60_000);
      expect((await lock.holder())?.owner).toBe(owner);
      expect(await java.tryLock('orders')).toBe(false);
      expect(await server.command('GET', key)).toBe(owner);
      await hold.release();
      expect(await server.command('EXISTS', key)).toBe(0);
      expect(await java.tryLock('orders')).toBe(true);
    });

    test('the expiry can be set for the registry and for each acquisition', async () => {
      const { lock, key } = await bothSides({ type, renewalLeaseMs: 20_000 });
      const renewed = await lock.acquire();
      expect(await ttlOf(key)).toBeLessThanOrEqual(20_000);
      await renewed.release();
      const leased = await lock.acquire({ leaseMs: 5000 });
      expect(await ttlOf(key)).toBeLessThanOrEqual(5000);
      await leased.release();
    });

    test('each acquisition is a new owner', async () => {
      const { lock, key } = await bothSides({ type });
      const owners = new Set<unknown>();
      for (let round = 0; round < 3; round++) {
        const hold = await lock.acquire();
        owners.add(await server.command('GET', key));
        await hold.release();
      }
      expect(owners.size).toBe(3);
    });

    test('Java keeps us out, and a try in vain does not touch its expiry', async () => {
      const { lock, java, key } = await bothSides({ type });
      expect(await java.tryLock('orders', 30_000)).toBe(true);
      expect(await lock.tryAcquire()).toBeNull();
      const ttlMs = await ttlOf(key);
      expect(ttlMs).toBeGreaterThan(0);
      expect(ttlMs).toBeLessThanOrEqual(30_000);
      expect(await lock.isLocked()).toBe(true);
      expect((await lock.holder())?.owner).toBe(java.clientId);
      expect(await lock.remainingMs()).toBeLessThanOrEqual(30_000);
      expect(await server.command('GET', key)).toBe(java.clientId);
      await expect(lock.acquire({ timeoutMs: 50 })).rejects.toMatchObject({
        code: 'ACQUIRE_TIMEOUT',
        resource: `springLock ${JSON.stringify(key)}`,
      });
      expect(await server.command('GET', key)).toBe(java.clientId);
    });

    test('a waiter acquires when the time of a killed Java program is over, and not before', async () => {
      const { lock, java } = await bothSides({ type });
      await java.tryLock('orders', 700);
      const start = performance.now();
      const hold = await lock.acquire();
      expect(performance.now() - start).toBeGreaterThan(600);
      await hold.release();
    });

    test('a Java program that renews keeps its waiters waiting', async () => {
      const { lock, java } = await bothSides({ type });
      await java.tryLock('orders', 500);
      const start = performance.now();
      const acquiring = lock.acquire();
      for (let round = 0; round < 6; round++) {
        await sleep(150);
        expect(await java.renew('orders', 500)).toBe(true);
      }
      const hold = await acquiring;
      expect(performance.now() - start).toBeGreaterThan(900 + 400);
      await hold.release();
    });

    test('Java sees our renewal, and acquires when the time of a killed process is over', async () => {
      const { locks, lock, java, key } = await bothSides({ type, renewalLeaseMs: 600 });
      await lock.acquire();
      const until = performance.now() + 1300;
      while (performance.now() < until) {
        expect(await java.tryLock('orders')).toBe(false);
        expect(await ttlOf(key)).toBeLessThanOrEqual(600);
        await sleep(20);
      }
      // As if killed: what it holds stays as it is.
      const user = clients.pop()!;
      await user.close();
      engines.splice(engines.indexOf(locks), 1);
      await waitFor('Java gets in', () => java.tryLock('orders'));
      await locks.close().catch(() => undefined);
    });

    test('what Java holds by now is neither renewed nor released', async () => {
      const { lock, java, key } = await bothSides({ type, renewalLeaseMs: 600 });
      const hold = await lock.acquire();
      await server.command('DEL', key);
      expect(await java.tryLock('orders', 30_000)).toBe(true);
      await waitFor('the loss is reported', () => hold.lost.aborted);
      expect((hold.lost.reason as LeaseLostError).reason).toBe('gone');
      await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
      expect(await server.command('GET', key)).toBe(java.clientId);
      expect(await ttlOf(key)).toBeGreaterThan(20_000);
    });

    test('a release that finds Java in says so, and leaves it there', async () => {
      const { lock, java, key } = await bothSides({ type });
      const hold = await lock.acquire();
      await server.command('DEL', key);
      await java.tryLock('orders');
      await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
      expect(await server.command('GET', key)).toBe(java.clientId);
      expect(await java.unlock('orders')).toBe(true);
    });

    test('of ours and of Java, ten in all, one is in at a time', async () => {
      const { lock, java, registryKey } = await bothSides({ type });
      const other = (await open()).springLock(registryKey, 'orders', { type });
      let inside = 0;
      let turns = 0;
      const section = async (): Promise<void> => {
        expect(++inside).toBe(1);
        await sleep(5);
        inside -= 1;
        turns += 1;
      };
      const ours = [lock, other].flatMap((one) => Array.from({ length: 4 }, () => one.run(section)));
      const threads = [java, new JavaRegistry(server, registryKey)].map(async (one) => {
        await waitFor('Java gets in', () => one.tryLock('orders'));
        await section();
        if (type === 'pubSub') await one.unlockAndTell('orders');
        else await one.unlock('orders');
      });
      await Promise.all([...ours, ...threads]);
      expect(turns).toBe(10);
    });

    test('a Java program acquires while twenty of ours hammer', async () => {
      const { lock, java } = await bothSides({ type });
      using heard = await java.listen();
      const pause = type === 'spin' ? () => sleep(100) : () => heard.next();
      let hammering = true;
      const hammers = Array.from({ length: 20 }, async () => {
        while (hammering) await lock.run(() => sleep(1));
      });
      for (let round = 0; round < 5; round++) {
        await waitFor('Java gets in', async () => {
          if (await java.tryLock('orders')) return true;
          await pause();
          return false;
        });
        await java.unlockAndTell('orders');
      }
      hammering = false;
      await Promise.all(hammers);
      expect(await lock.isLocked()).toBe(false);
    });

    test('fences grow over what Java held, in a key beside the lock', async () => {
      const { lock, java, key } = await bothSides({ type });
      const first = await lock.acquire();
      await first.release();
      await java.tryLock('orders');
      await java.unlock('orders');
      const second = await lock.acquire();
      expect(second.fence).toBeGreaterThan(first.fence);
      expect(await server.command('GET', `holdfast_spring_token:{${key}}`)).toBe(String(second.fence));
      await second.release();
    });

    test('nothing of ours is left without an end', async () => {
      const { lock, registryKey } = await bothSides({ type });
      await lock.run(() => undefined);
      await lock.acquire({ leaseMs: 50 });
      await waitFor('it has ended', async () => !(await lock.isLocked()));
      for (const key of (await server.command('KEYS', `*${registryKey}*`)) as string[]) {
        expect(await ttlOf(key), key).toBeGreaterThan(0);
      }
    });

    test('a forced release takes it from Java, and with a fence only the grant that has it', async () => {
      const { lock, java, key } = await bothSides({ type });
      const hold = await lock.acquire();
      expect(await lock.forceRelease({ fence: hold.fence + 1n })).toBe(false);
      expect(await lock.forceRelease({ fence: hold.fence })).toBe(true);
      expect(hold.lost.aborted).toBe(true);
      await java.tryLock('orders');
      expect(await lock.forceRelease()).toBe(true);
      expect(await server.command('EXISTS', key)).toBe(0);
      expect(await lock.forceRelease()).toBe(false);
    });

    test('what is not a lock of Spring is left as it is', async () => {
      const { lock, key } = await bothSides({ type });
      await server.command('HSET', key, 'a', '1');
      await expect(lock.tryAcquire()).rejects.toBeInstanceOf(ForeignStateError);
      await expect(lock.forceRelease()).rejects.toBeInstanceOf(ForeignStateError);
      expect(await server.command('HGET', key, 'a')).toBe('1');
    });

    test('a name may have anything in it that means something in a pattern', async () => {
      const registryKey = `we[i]rd*?\\${++names}`;
      const [lock, other] = [await open(), await open()].map((locks) =>
        locks.springLock(registryKey, '*', { type }),
      );
      const hold = await lock!.acquire();
      const acquiring = other!.acquire();
      await waiting(other!);
      expect(await server.command('GET', `${registryKey}:*`)).toBe((await other!.holder())?.owner);
      await hold.release();
      await (await acquiring).release();
    });
  });

  test('spin: no message is published', async () => {
    const { lock, registryKey } = await bothSides({ type: 'spin' });
    using heard = await server.subscribe({ pattern: '*' });
    await lock.run(() => undefined);
    await lock.acquire();
    await lock.forceRelease();
    await server.command('PUBLISH', 'end', '');
    expect((await heard.next()).channel, registryKey).toBe('end');
  });

  test('pubSub: a release is published on both channels, with the key', async () => {
    const { lock, key, registryKey } = await bothSides({ type: 'pubSub' });
    using heard = await server.subscribe({ pattern: '*' });
    const told = [
      { channel: `${registryKey}-channel:${key}`, payload: key, pattern: '*' },
      { channel: `${registryKey}-channel`, payload: key, pattern: '*' },
    ];
    await lock.run(() => undefined);
    expect([await heard.next(), await heard.next()]).toStrictEqual(told);
    await lock.acquire();
    await lock.forceRelease();
    expect([await heard.next(), await heard.next()]).toStrictEqual(told);
    await server.command('PUBLISH', 'end', '');
    expect((await heard.next()).channel).toBe('end');
  });

  test('pubSub: what is not given back is not told', async () => {
    const { lock, java, key } = await bothSides({ type: 'pubSub' });
    using heard = await server.subscribe({ pattern: '*' });
    const hold = await lock.acquire();
    await server.command('DEL', key);
    await java.tryLock('orders');
    await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
    await server.command('PUBLISH', 'end', '');
    expect((await heard.next()).channel).toBe('end');
  });

  test.each(['new', 'old'] as const)(
    'pubSub: a Java program of a %s version hears of it',
    async (version) => {
      const { lock, java, key } = await bothSides({ type: 'pubSub' }, version);
      using heard = await java.listen();
      const hold = await lock.acquire();
      expect(await java.tryLock('orders')).toBe(false);
      await hold.release();
      expect((await heard.next()).payload).toBe(key);
      expect(await java.tryLock('orders')).toBe(true);
    },
  );

  test.each(['new', 'old'] as const)('pubSub: we hear of a Java program of a %s version', async (version) => {
    const { lock, java } = await bothSides({ type: 'pubSub' }, version);
    await java.tryLock('orders', 600_000);
    const acquiring = lock.acquire();
    await waiting(lock);
    // Without the message it would be ten seconds until it looks again.
    const start = performance.now();
    await java.unlockAndTell('orders');
    const hold = await acquiring;
    expect(performance.now() - start).toBeLessThan(8000);
    await hold.release();
  });

  test('pubSub: another lock of the registry wakes no waiter in vain', async () => {
    const { lock, locks, java, registryKey, key } = await bothSides({ type: 'pubSub' });
    await java.tryLock('orders');
    const commands: string[] = [];
    using monitor = await server.connect({ unasked: (line) => void commands.push(String(line)) });
    await monitor.command('MONITOR');
    const acquiring = lock.acquire();
    // If an assertion below fails first, closing the engine rejects this one, and the report should name one failure.
    acquiring.catch(() => undefined);
    // The waiter asks once more when it listens. A look that comes before that one would take it for a wake-up.
    await waitFor('the waiter has asked while it listens', () => asksAfterListening(commands, key));
    await server.command('ECHO', 'the waiter sleeps');
    await waitFor('all that it asked was seen', () => commands.some((line) => line.includes('"ECHO"')));
    commands.length = 0;
    await java.tryLock('other');
    await java.unlockAndTell('other');
    // Told after the other: whatever that one caused has been sent when this waiter is in.
    const third = locks.springLock(registryKey, 'third', { type: 'pubSub' });
    await java.tryLock('third');
    const taking = third.acquire();
    await waiting(third);
    await java.unlockAndTell('third');
    await (await taking).release();
    await waitFor('the end was seen', () => commands.some((line) => line.includes('"UNLINK"')));
    expect(commands.filter((line) => line.includes(`"${key}"`))).toStrictEqual([]);
    await java.unlockAndTell('orders');
    await (await acquiring).release();
    expect(await lock.waiters()).toBe(0);
  });

  test('spin: a waiter finds out by itself', async () => {
    const { lock, java } = await bothSides({ type: 'spin' });
    await java.tryLock('orders', 600_000);
    const acquiring = lock.acquire();
    await waiting(lock);
    const start = performance.now();
    await java.unlock('orders');
    const hold = await acquiring;
    expect(performance.now() - start).toBeLessThan(8000);
    await hold.release();
  });

  test('the locks of two registries are two, also of one key', async () => {
    const locks = await open();
    const [one, two] = ['x', 'y'].map((registryKey) =>
      locks.springLock(`${registryKey}${++names}`, 'orders', { type: 'spin' }),
    );
    const hold = await one!.acquire();
    const other = await two!.tryAcquire();
    expect(other).not.toBeNull();
    await other!.release();
    await hold.release();
  });

  test('the key prefix of the engine is for its own names', async () => {
    const registryKey = `registry${++names}`;
    const locks = await open({ keyPrefix: 'app:' });
    const hold = await locks.springLock(registryKey, 'orders', { type: 'spin' }).acquire();
    expect(await server.command('EXISTS', `${registryKey}:orders`)).toBe(1);
    await hold.release();
  });

  test('bad arguments are refused by throwing', async () => {
    const locks = await open();
    const make = (registryKey: unknown, lockKey: unknown, options: unknown) => () =>
      locks.springLock(registryKey as string, lockKey as string, options as SpringLockOptions);
    const spin = { type: 'spin' };
    expect(make('', 'a', spin)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: expect.stringMatching(/springLock registry .* 1 to 512/),
      }),
    );
    expect(make('a', '', spin)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: expect.stringMatching(/springLock must have 1 to 512/),
      }),
    );
    expect(make('a', 5, spin)).toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: expect.stringMatching(/must be a string, not 5/),
      }),
    );
    expect(make('a\0', 'b', spin)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/NUL/) }),
    );
    expect(make('a', 'b', undefined)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/type must be 'spin' or 'pubSub'/) }),
    );
    expect(make('a', 'b', { type: 'SPIN_LOCK' })).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/not "SPIN_LOCK"/) }),
    );
    expect(make('a', 'b', { ...spin, leaseMs: 5 })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/no option "leaseMs"/) }),
    );
    expect(make('a', 'b', { ...spin, renewalLeaseMs: 1 })).toThrow(
      expect.objectContaining({ name: 'RangeError' }),
    );
    make('a', 'b', spin)();
    expect(make('a', 'c', { type: 'pubSub' })).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/in use with the type 'spin'/) }),
    );
  });
});
