import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest';
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
  await waitFor('somebody waits', async () => (await lock.waiters()) > 0);
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
      assert.equal(lock.kind, 'springLock');
      assert.equal(lock.name, key);
      assert.equal(await server.command('TYPE', key), 'string');
      const owner = String(await server.command('GET', key));
      assert.match(owner, OWNER);
      const ttlMs = await ttlOf(key);
      assert.ok(ttlMs > 50_000 && ttlMs <= 60_000, `${ttlMs}`);
      assert.ok(hold.remainingMs > 50_000 && hold.remainingMs < 60_000, `${hold.remainingMs}`);
      assert.equal((await lock.holder())?.owner, owner);
      assert.equal(await java.tryLock('orders'), false);
      assert.equal(await server.command('GET', key), owner);
      await hold.release();
      assert.equal(await server.command('EXISTS', key), 0);
      assert.equal(await java.tryLock('orders'), true);
    });

    test('the expiry can be set for the registry and for each acquisition', async () => {
      const { lock, key } = await bothSides({ type, renewalLeaseMs: 20_000 });
      const renewed = await lock.acquire();
      assert.ok((await ttlOf(key)) <= 20_000);
      await renewed.release();
      const leased = await lock.acquire({ leaseMs: 5000 });
      assert.ok((await ttlOf(key)) <= 5000);
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
      assert.equal(owners.size, 3);
    });

    test('Java keeps us out, and a try in vain does not touch its expiry', async () => {
      const { lock, java, key } = await bothSides({ type });
      assert.equal(await java.tryLock('orders', 30_000), true);
      assert.equal(await lock.tryAcquire(), null);
      const ttlMs = await ttlOf(key);
      assert.ok(ttlMs > 0 && ttlMs <= 30_000);
      assert.equal(await lock.isLocked(), true);
      assert.equal((await lock.holder())?.owner, java.clientId);
      assert.ok((await lock.remainingMs()) <= 30_000);
      assert.equal(await server.command('GET', key), java.clientId);
      await assert.rejects(lock.acquire({ timeoutMs: 50 }), {
        code: 'ACQUIRE_TIMEOUT',
        resource: `springLock ${JSON.stringify(key)}`,
      });
      assert.equal(await server.command('GET', key), java.clientId);
    });

    test('a waiter gets in when the time of a killed Java program is over, and not before', async () => {
      const { lock, java } = await bothSides({ type });
      await java.tryLock('orders', 700);
      const start = performance.now();
      const hold = await lock.acquire();
      assert.ok(performance.now() - start > 600);
      await hold.release();
    });

    test('a Java program that renews keeps its waiters waiting', async () => {
      const { lock, java } = await bothSides({ type });
      await java.tryLock('orders', 500);
      const start = performance.now();
      const acquiring = lock.acquire();
      for (let round = 0; round < 6; round++) {
        await sleep(150);
        assert.equal(await java.renew('orders', 500), true);
      }
      const hold = await acquiring;
      assert.ok(performance.now() - start > 900 + 400);
      await hold.release();
    });

    test('Java sees our renewal, and gets in when the time of a killed process is over', async () => {
      const { locks, lock, java, key } = await bothSides({ type, renewalLeaseMs: 600 });
      await lock.acquire();
      const until = performance.now() + 1300;
      while (performance.now() < until) {
        assert.equal(await java.tryLock('orders'), false);
        assert.ok((await ttlOf(key)) <= 600);
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
      assert.equal(await java.tryLock('orders', 30_000), true);
      await waitFor('the loss is told', () => hold.lost.aborted);
      assert.equal((hold.lost.reason as LeaseLostError).reason, 'gone');
      await assert.rejects(hold.release(), LeaseLostError);
      assert.equal(await server.command('GET', key), java.clientId);
      assert.ok((await ttlOf(key)) > 20_000);
    });

    test('a release that finds Java in says so, and leaves it there', async () => {
      const { lock, java, key } = await bothSides({ type });
      const hold = await lock.acquire();
      await server.command('DEL', key);
      await java.tryLock('orders');
      await assert.rejects(hold.release(), LeaseLostError);
      assert.equal(await server.command('GET', key), java.clientId);
      assert.equal(await java.unlock('orders'), true);
    });

    test('of ours and of Java, ten in all, one is in at a time', async () => {
      const { lock, java, registryKey } = await bothSides({ type });
      const other = (await open()).springLock(registryKey, 'orders', { type });
      let inside = 0;
      let turns = 0;
      const section = async (): Promise<void> => {
        assert.equal(++inside, 1);
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
      assert.equal(turns, 10);
    });

    test('a Java program gets in while twenty of ours hammer', async () => {
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
      assert.equal(await lock.isLocked(), false);
    });

    test('fences grow over what Java held, in a key beside the lock', async () => {
      const { lock, java, key } = await bothSides({ type });
      const first = await lock.acquire();
      await first.release();
      await java.tryLock('orders');
      await java.unlock('orders');
      const second = await lock.acquire();
      assert.ok(second.fence > first.fence);
      assert.equal(await server.command('GET', `holdfast_spring_token:{${key}}`), String(second.fence));
      await second.release();
    });

    test('nothing of ours is left without an end', async () => {
      const { lock, registryKey } = await bothSides({ type });
      await lock.run(() => undefined);
      await lock.acquire({ leaseMs: 50 });
      await waitFor('it has ended', async () => !(await lock.isLocked()));
      for (const key of (await server.command('KEYS', `*${registryKey}*`)) as string[]) {
        assert.ok((await ttlOf(key)) > 0, key);
      }
    });

    test('a forced release takes it from Java, and with a fence only the grant that has it', async () => {
      const { lock, java, key } = await bothSides({ type });
      const hold = await lock.acquire();
      assert.equal(await lock.forceRelease({ fence: hold.fence + 1n }), false);
      assert.equal(await lock.forceRelease({ fence: hold.fence }), true);
      assert.equal(hold.lost.aborted, true);
      await java.tryLock('orders');
      assert.equal(await lock.forceRelease(), true);
      assert.equal(await server.command('EXISTS', key), 0);
      assert.equal(await lock.forceRelease(), false);
    });

    test('what is not a lock of Spring is left as it is', async () => {
      const { lock, key } = await bothSides({ type });
      await server.command('HSET', key, 'a', '1');
      await assert.rejects(lock.tryAcquire(), ForeignStateError);
      await assert.rejects(lock.forceRelease(), ForeignStateError);
      assert.equal(await server.command('HGET', key, 'a'), '1');
    });

    test('a name may have anything in it that means something in a pattern', async () => {
      const registryKey = `we[i]rd*?\\${++names}`;
      const [lock, other] = [await open(), await open()].map((locks) =>
        locks.springLock(registryKey, '*', { type }),
      );
      const hold = await lock!.acquire();
      const acquiring = other!.acquire();
      await waiting(other!);
      assert.equal(await server.command('GET', `${registryKey}:*`), (await other!.holder())?.owner);
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
    assert.equal((await heard.next()).channel, 'end', registryKey);
  });

  test('pubSub: a release is published on both channels, with the key', async () => {
    const { lock, key, registryKey } = await bothSides({ type: 'pubSub' });
    using heard = await server.subscribe({ pattern: '*' });
    const told = [
      { channel: `${registryKey}-channel:${key}`, payload: key, pattern: '*' },
      { channel: `${registryKey}-channel`, payload: key, pattern: '*' },
    ];
    await lock.run(() => undefined);
    assert.deepEqual([await heard.next(), await heard.next()], told);
    await lock.acquire();
    await lock.forceRelease();
    assert.deepEqual([await heard.next(), await heard.next()], told);
    await server.command('PUBLISH', 'end', '');
    assert.equal((await heard.next()).channel, 'end');
  });

  test('pubSub: what is not given back is not told', async () => {
    const { lock, java, key } = await bothSides({ type: 'pubSub' });
    using heard = await server.subscribe({ pattern: '*' });
    const hold = await lock.acquire();
    await server.command('DEL', key);
    await java.tryLock('orders');
    await assert.rejects(hold.release(), LeaseLostError);
    await server.command('PUBLISH', 'end', '');
    assert.equal((await heard.next()).channel, 'end');
  });

  test.each(['new', 'old'] as const)(
    'pubSub: a Java program of a %s version hears of it',
    async (version) => {
      const { lock, java, key } = await bothSides({ type: 'pubSub' }, version);
      using heard = await java.listen();
      const hold = await lock.acquire();
      assert.equal(await java.tryLock('orders'), false);
      await hold.release();
      assert.equal((await heard.next()).payload, key);
      assert.equal(await java.tryLock('orders'), true);
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
    assert.ok(performance.now() - start < 8000);
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
    assert.deepEqual(
      commands.filter((line) => line.includes(`"${key}"`)),
      [],
    );
    await java.unlockAndTell('orders');
    await (await acquiring).release();
    assert.equal(await lock.waiters(), 0);
  });

  test('spin: a waiter finds out by itself', async () => {
    const { lock, java } = await bothSides({ type: 'spin' });
    await java.tryLock('orders', 600_000);
    const acquiring = lock.acquire();
    await waiting(lock);
    const start = performance.now();
    await java.unlock('orders');
    const hold = await acquiring;
    assert.ok(performance.now() - start < 8000);
    await hold.release();
  });

  test('the locks of two registries are two, also of one key', async () => {
    const locks = await open();
    const [one, two] = ['x', 'y'].map((registryKey) =>
      locks.springLock(`${registryKey}${++names}`, 'orders', { type: 'spin' }),
    );
    const hold = await one!.acquire();
    const other = await two!.tryAcquire();
    assert.ok(other);
    await other.release();
    await hold.release();
  });

  test('the key prefix of the engine is for its own names', async () => {
    const registryKey = `registry${++names}`;
    const locks = await open({ keyPrefix: 'app:' });
    const hold = await locks.springLock(registryKey, 'orders', { type: 'spin' }).acquire();
    assert.equal(await server.command('EXISTS', `${registryKey}:orders`), 1);
    await hold.release();
  });

  test('bad arguments are refused by throwing', async () => {
    const locks = await open();
    const make = (registryKey: unknown, lockKey: unknown, options: unknown) => () =>
      locks.springLock(registryKey as string, lockKey as string, options as SpringLockOptions);
    const spin = { type: 'spin' };
    assert.throws(make('', 'a', spin), { name: 'RangeError', message: /springLock registry .* 1 to 512/ });
    assert.throws(make('a', '', spin), { name: 'RangeError', message: /springLock must have 1 to 512/ });
    assert.throws(make('a', 5, spin), { name: 'TypeError', message: /must be a string, not 5/ });
    assert.throws(make('a\0', 'b', spin), { name: 'TypeError', message: /NUL/ });
    assert.throws(make('a', 'b', undefined), { message: /type must be 'spin' or 'pubSub'/ });
    assert.throws(make('a', 'b', { type: 'SPIN_LOCK' }), { name: 'TypeError', message: /not "SPIN_LOCK"/ });
    assert.throws(make('a', 'b', { ...spin, leaseMs: 5 }), { message: /no option "leaseMs"/ });
    assert.throws(make('a', 'b', { ...spin, renewalLeaseMs: 1 }), { name: 'RangeError' });
    make('a', 'b', spin)();
    assert.throws(make('a', 'c', { type: 'pubSub' }), { message: /in use with the type 'spin'/ });
  });
});
