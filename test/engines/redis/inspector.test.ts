import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type Change,
  type Description,
  redis,
  type RedisSynchronizers,
  type Sighting,
} from '../../../src/engines/redis/index.ts';
import { lockRelease } from '../../../src/engines/redis/scripts.generated.ts';
import { LeaseLostError } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds, type UserClient } from '../redis-drivers/client-kinds.ts';

const JAVA = 'aaaaaaaa-0000-4000-8000-000000000001:1';
const OTHER_JAVA = 'bbbbbbbb-0000-4000-8000-000000000002:77';

let server: RedisServer;
const opened: { readonly user: UserClient; readonly locks: RedisSynchronizers }[] = [];

async function open(settings: object = {}): Promise<RedisSynchronizers> {
  const user = await clientKinds[0]!.single(server.port);
  const locks = redis({ client: user.client, ...settings });
  opened.push({ user, locks });
  return locks;
}

async function listed(
  locks: RedisSynchronizers,
  options?: Parameters<RedisSynchronizers['inspector']['list']>[0],
): Promise<readonly Sighting[]> {
  const all: Sighting[] = [];
  for await (const sighting of locks.inspector.list(options)) all.push(sighting);
  return all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Kind and name of each. */
async function named(...args: Parameters<typeof listed>): Promise<readonly string[]> {
  return (await listed(...args)).map(({ kind, name }) => `${kind} ${name}`);
}

async function described<K extends Description['kind']>(
  locks: RedisSynchronizers,
  kind: K,
  name: string,
): Promise<Description & { readonly kind: K }> {
  const description = await locks.inspector.describe(kind, name);
  expect(description?.name, `there is no ${kind} ${name}`).toBe(name);
  return description as Description & { readonly kind: K };
}

/** A lock as Redisson would have taken it. */
async function javaTakes(name: string, owner = JAVA, count = 1, ttlMs = 30_000): Promise<void> {
  await server.command('HSET', name, owner, count);
  await server.command('PEXPIRE', name, ttlMs);
}

describeRedis('the inspector', () => {
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterEach(async () => {
    for (const { locks, user } of opened.splice(0)) {
      await locks.close();
      await user.close();
    }
    await server.command('FLUSHALL');
  });
  afterAll(() => server.stop());

  describe('list', () => {
    test('an empty server has nothing to show', async () => {
      expect(await listed(await open())).toStrictEqual([]);
    });

    test('what is held, of ours and of Java, with its holder', async () => {
      const locks = await open();
      const hold = await locks.lock('ours').acquire();
      await javaTakes('java', JAVA, 2);
      const [java, ours] = await listed(locks);
      expect({
        ...java,
        holders: java?.holders.map(({ remainingMs, ...rest }) => [rest, remainingMs > 20_000]),
      }).toStrictEqual({
        kind: 'lock',
        name: 'java',
        holders: [[{ owner: JAVA, program: 'redisson', count: 2 }, true]],
        waiters: { count: 0, counts: 'process', clients: 0 },
      });
      expect(ours?.kind).toBe('lock');
      const [holder] = ours!.holders;
      expect(holder?.program).toBe('holdfast');
      expect(holder?.fence).toBe(hold.fence);
      expect(holder?.count).toBe(1);
      expect(holder?.owner).toBe((await locks.lock('ours').holder())?.owner);
      await hold.release();
      expect(await named(locks)).toStrictEqual(['lock java']);
    });

    test('hashes of other programs are not shown', async () => {
      const locks = await open();
      const others: Readonly<Record<string, readonly string[]>> = {
        profile: ['name', 'Ada', 'mode', 'dark'],
        counters: ['page:1', '5'],
        settings: ['mode', 'read'],
        session: ['user:42', '3', 'user:43', '1'],
        textual: [JAVA, 'yes'],
        zero: [JAVA, '0'],
        two: [JAVA, '1', OTHER_JAVA, '1'],
        spoken: [JAVA, '1', 'mode', 'loud'],
        holdfast_other: [JAVA, '1'],
        empty: ['mode', 'write'],
      };
      for (const [key, fields] of Object.entries(others)) {
        await server.command('HSET', key, ...fields);
        await server.command('PEXPIRE', key, 60_000);
      }
      // Without an end it is no lock of Redisson's either.
      await server.command('HSET', 'endless', JAVA, '1');
      await server.command('RPUSH', 'redisson_lock_queue:jobs', 'x');
      await server.command('SET', 'text', 'x');
      expect(await listed(locks)).toStrictEqual([]);
    });

    test('a large hash of another program is not read', async () => {
      const locks = await open();
      for (let at = 0; at < 20; at++) {
        const fields = Array.from({ length: 1000 }, (_, field) => [`f${at}-${field}`, '1']).flat();
        await server.command('HSET', 'large', ...fields);
      }
      await server.command('CONFIG', 'RESETSTAT');
      expect(await listed(locks)).toStrictEqual([]);
      const stats = await server.info('commandstats');
      expect(stats['cmdstat_hgetall']).toBeUndefined();
      expect(stats['cmdstat_hrandfield']).toBeUndefined();
      expect(stats['cmdstat_hkeys']).toBeUndefined();
      expect(stats['cmdstat_keys']).toBeUndefined();
    });

    test('all of many keys, in slices', async () => {
      const locks = await open();
      for (let at = 0; at < 1500; at++) await server.command('HSET', `data-${at}`, 'a', '1');
      for (let at = 0; at < 300; at++) await javaTakes(`lock-${at}`);
      await server.command('CONFIG', 'RESETSTAT');
      expect((await listed(locks)).length).toBe(300);
      const calls = /calls=(\d+)/.exec(String((await server.info('commandstats'))['cmdstat_scan']))?.[1];
      expect(Number(calls), `${calls} slices`).toBeGreaterThan(10);
    });

    test('read-write locks, with all who read or the one who writes', async () => {
      const locks = await open();
      const { read, write } = locks.readWriteLock('rw');
      const [one, two] = [await read.acquire(), await read.acquire()];
      const [reading] = await listed(locks);
      expect(reading?.kind).toBe('readWriteLock');
      expect(new Set(reading?.holders.map(({ side, fence }) => `${side} ${fence}`))).toStrictEqual(
        new Set([`read ${one.fence}`, `read ${two.fence}`]),
      );
      await Promise.all([one.release(), two.release()]);
      const writing = await write.acquire();
      const [written] = await listed(locks);
      expect(written?.holders.map(({ side, fence }) => [side, fence])).toStrictEqual([
        ['write', writing.fence],
      ]);
      await writing.release();
      await server.command('HSET', 'java', 'mode', 'write', `${JAVA}:write`, 1, JAVA, 1);
      await server.command('PEXPIRE', 'java', 30_000);
      await server.command('SET', `{java}:${JAVA}:rwlock_timeout:1`, '1', 'PX', 20_000);
      const [java] = await listed(locks);
      expect(java?.holders.map(({ owner, side, fence }) => [owner, side, fence])).toStrictEqual([
        [JAVA, 'write', undefined],
        [JAVA, 'read', undefined],
      ]);
    });

    test('a fair lock that is waited for is seen as one, also when it is free', async () => {
      const locks = await open();
      const lock = locks.fairLock('fair');
      const hold = await lock.acquire();
      expect(await named(locks), 'without a line it looks like any other').toStrictEqual(['lock fair']);
      const waiting = lock.acquire();
      await waitFor('it stands in line', async () => (await lock.waiters()) === 1);
      const [seen] = await listed(locks);
      expect(seen?.kind).toBe('fairLock');
      expect(seen?.holders.length).toBe(1);
      expect(seen?.waiters).toStrictEqual({ count: 1, counts: 'fleet' });
      await hold.release();
      await (await waiting).release();

      await server.command('RPUSH', 'redisson_lock_queue:{free}', JAVA, OTHER_JAVA);
      const [free] = await listed(locks);
      expect(free).toStrictEqual({
        kind: 'fairLock',
        name: 'free',
        holders: [],
        waiters: { count: 2, counts: 'fleet' },
      });
    });

    test('who waits for a plain lock is counted here, and the clients in the fleet', async () => {
      const [locks, elsewhere] = [await open(), await open()];
      const hold = await locks.lock('plain').acquire();
      const waiting = [locks, locks, locks, elsewhere].map((one) => one.lock('plain').acquire());
      // The holder's own waiters stand behind it here, and have nothing to listen for yet.
      await waitFor('all wait', async () => {
        const [seen] = await listed(locks);
        return seen?.waiters.count === 3 && seen.waiters.clients === 1;
      });
      expect((await listed(elsewhere))[0]?.waiters.count).toBe(1);
      expect(await locks.lock('plain').waiters(), 'as the lock itself tells').toBe(3);
      await hold.release();
      await Promise.all(waiting.map(async (one) => (await one).release()));
      // This client still listens, but no owner of it waits.
      await elsewhere.close();
      await waitFor('the other one has gone', async () => (await listed(locks)).length === 0);
    });

    test('permits that are taken are found, also if no client waits', async () => {
      const locks = await open({ keyPrefix: 'app:' });
      const held = [
        await locks.semaphore('places', { permits: 3 }).acquire({ permits: 2 }),
        await locks.permitSemaphore('{tagged} seats', { permits: 3 }).acquire(),
      ];
      // A number that is left, without one who has the rest, may be anything.
      await locks.bareSemaphore('bare', { permits: 3 }).acquire();
      await server.command('ZADD', '{foreign}:timeout', 1, 'x');
      const seen = await listed(locks);
      expect(
        seen.map(({ kind, name, holders }) => `${kind} ${name} ${holders[0]?.count}`).toSorted(),
      ).toStrictEqual(['semaphore places 2', 'semaphore {tagged} seats 1']);
      expect((await listed(locks, { prefix: 'pl' })).map(({ name }) => name)).toStrictEqual(['places']);
      for (const hold of held) await hold.release();
      expect(await listed(locks)).toStrictEqual([]);
    });

    test('what is only awaited is found by its channel', async () => {
      const locks = await open();
      await locks.latch('gate').trySetCount(2);
      const gate = locks.latch('gate').await();
      const taken = await locks.semaphore('places', { permits: 1 }).acquire();
      const place = locks.semaphore('places', { permits: 1 }).acquire();
      const permit = await locks.permitSemaphore('seats', { permits: 1 }).acquire();
      const seat = locks.permitSemaphore('seats', { permits: 1 }).acquire();
      using java = await server.subscribe({ channel: 'redisson_lock__channel:{awaited}' });
      const expected = ['latch gate', 'lock awaited', 'semaphore places', 'semaphore seats'];
      await waitFor('all are seen', async () => {
        const seen = await named(locks);
        return seen.toSorted().join() === expected.join();
      });
      const [awaited] = await listed(locks, { prefix: 'awaited' });
      expect(awaited).toStrictEqual({
        kind: 'lock',
        name: 'awaited',
        holders: [],
        waiters: { count: 0, counts: 'process', clients: 1 },
      });
      expect(java.messages.length, 'no client has released it').toBe(0);
      await Promise.all([taken.release(), permit.release(), locks.latch('gate').reset()]);
      await gate;
      await (await place).release();
      await (await seat).release();
    });

    test('cells that are in use, and not those at rest', async () => {
      const locks = await open();
      await locks.monitor('quiet', { initial: 0 }).run((m) => m.set(1));
      const office = await locks.election('chair').campaign({ value: 'me' });
      const arriving = locks.barrier('start', { parties: 2 }).arrive();
      let leave: () => void = () => undefined;
      const stays = new Promise<void>((resolve) => {
        leave = resolve;
      });
      const inside = locks.monitor('busy', { initial: 0 }).run(() => stays);
      const expected = ['barrier start', 'election chair', 'monitor busy'];
      await waitFor('all are seen', async () => (await named(locks)).toSorted().join() === expected.join());
      const all = await listed(locks);
      const leader = all.find(({ kind }) => kind === 'election')?.holders[0];
      expect(leader?.fence).toBe(office.fence);
      expect(leader?.program).toBe('holdfast');
      expect(all.find(({ kind }) => kind === 'barrier')?.waiters).toStrictEqual({
        count: 1,
        counts: 'fleet',
      });
      leave();
      await Promise.all([inside, office.resign(), locks.barrier('start', { parties: 2 }).arrive(), arriving]);
      expect(await named(locks)).toStrictEqual([]);
    });

    test('the prefix of the engine is not part of a name, and keeps others out', async () => {
      const [locks, all] = [await open({ keyPrefix: 'app*:' }), await open()];
      const hold = await locks.lock('a').acquire();
      const office = await locks.election('b').campaign();
      await javaTakes('app*:java');
      await javaTakes('appx:java');
      await server.command('RPUSH', 'redisson_lock_queue:{app*:line}', JAVA);
      await server.command('RPUSH', 'redisson_lock_queue:{other:line}', JAVA);
      expect(await named(locks)).toStrictEqual(['lock a', 'election b', 'lock java', 'fairLock line']);
      expect((await named(all)).length).toStrictEqual(6);
      await hold.release();
      await office.resign();
    });

    test('only names that begin with what is asked for, which is no pattern', async () => {
      const locks = await open();
      for (const name of ['a*1', 'a*2', 'ab1', '[a]1', 'a?1']) await javaTakes(name);
      const office = await locks.election('a*3').campaign();
      expect(await named(locks, { prefix: 'a*' })).toStrictEqual(['lock a*1', 'lock a*2', 'election a*3']);
      expect(await named(locks, { prefix: '[a]' })).toStrictEqual(['lock [a]1']);
      expect(await named(locks, { prefix: 'a?' })).toStrictEqual(['lock a?1']);
      expect(await named(locks, { prefix: 'a\\' })).toStrictEqual([]);
      await office.resign();
    });

    test('names that have braces, and those of any other look', async () => {
      const locks = await open();
      const names = ['a{b}c', '{t}:rest', 'x{y', 'ünï', 'with space', 'a:b:c', '__proto__'];
      for (const name of names) await javaTakes(name);
      for (const name of names) {
        const { owner } = (await described(locks, 'lock', name)).holders[0]!;
        expect(owner).toBe(JAVA);
      }
      await server.command('RPUSH', 'redisson_lock_queue:fair{x}', JAVA);
      const expected = [...names.map((name) => `lock ${name}`), 'fairLock fair{x}'];
      expect((await named(locks)).toSorted()).toStrictEqual(expected.toSorted());
    });

    test('it stops when its signal aborts, and when its reader leaves', async () => {
      const locks = await open();
      for (let at = 0; at < 50; at++) await javaTakes(`lock-${at}`);
      const controller = new AbortController();
      const reason = new Error('enough');
      await expect(async () => {
        for await (const one of locks.inspector.list({ signal: controller.signal })) {
          expect(one).toBeTruthy();
          controller.abort(reason);
        }
      }).rejects.toBe(reason);
      for await (const one of locks.inspector.list()) {
        expect(one).toBeTruthy();
        break;
      }
      await locks.close();
      await expect(listed(locks)).rejects.toMatchObject({ code: 'CLOSED' });
    });

    test('bad options are refused by throwing', async () => {
      const locks = await open();
      const list = (options: unknown) => () => locks.inspector.list(options as never);
      expect(list({ prefix: 5 })).toThrow(
        expect.objectContaining({
          name: 'TypeError',
          message: expect.stringMatching(/prefix must be a string, not 5/),
        }),
      );
      expect(list({ pattern: '*' })).toThrow(
        expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/no option "pattern"/) }),
      );
      expect(list({ signal: {} })).toThrow(
        expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/signal/) }),
      );
      expect(list('a')).toThrow(expect.objectContaining({ name: 'TypeError' }));
    });
  });

  describe('one thing', () => {
    test.each(['lock', 'fairLock'] as const)(
      'what is left of a hold with minHoldMs is ours, with its fence (%s)',
      async (kind) => {
        const locks = await open();
        const hold = await locks[kind]('kept').acquire({ minHoldMs: 60_000 });
        await hold.release();
        // Nothing in Redis tells a fair lock without waiters from a plain one.
        expect(await named(locks)).toStrictEqual(['lock kept']);
        const { holders } = await described(locks, kind, 'kept');
        expect(holders).toMatchObject([{ program: 'holdfast', fence: hold.fence, count: 1 }]);
        expect(holders[0]?.owner).toMatch(/\+kept$/);
      },
    );

    test('nothing is null, whatever the kind', async () => {
      const { inspector } = await open();
      const kinds = ['lock', 'fairLock', 'readWriteLock', 'semaphore', 'permitSemaphore', 'latch'] as const;
      for (const kind of [...kinds, 'barrier', 'election', 'monitor'] as const) {
        expect(await inspector.describe(kind, 'nothing'), kind).toBeNull();
      }
    });

    test('what is of another kind is not of this one', async () => {
      const locks = await open();
      await javaTakes('lock');
      await server.command('HSET', 'rw', 'mode', 'write', `${JAVA}:write`, 1);
      await server.command('PEXPIRE', 'rw', 30_000);
      await server.command('SET', 'text', 'hello');
      await server.command('SET', 'number', '3');
      const see = async (kind: Description['kind'], name: string) =>
        (await locks.inspector.describe(kind, name)) !== null;
      expect([
        await see('lock', 'lock'),
        await see('readWriteLock', 'lock'),
        await see('semaphore', 'lock'),
      ]).toStrictEqual([true, false, false]);
      expect([
        await see('lock', 'rw'),
        await see('readWriteLock', 'rw'),
        await see('fairLock', 'rw'),
      ]).toStrictEqual([false, true, false]);
      expect([
        await see('lock', 'text'),
        await see('semaphore', 'text'),
        await see('latch', 'text'),
      ]).toStrictEqual([false, false, false]);
      expect([await see('latch', 'number'), await see('semaphore', 'number')]).toStrictEqual([true, true]);
    });

    test('counters, when the kind is given', async () => {
      const locks = await open();
      await locks.latch('gate').trySetCount(3);
      const permit = await locks.bareSemaphore('places', { permits: 5 }).acquire({ permits: 2 });
      expect((await described(locks, 'latch', 'gate')).count).toBe(3);
      const semaphore = await described(locks, 'semaphore', 'places');
      // The total of a bare semaphore is written nowhere: what is left is all there is to see.
      expect([semaphore.available, semaphore.permits, semaphore.holders]).toStrictEqual([3, 3, []]);
      expect(semaphore.waiters).toStrictEqual({ count: 0, counts: 'process', clients: 0 });
      await permit.release();
    });

    test.each(['semaphore', 'permitSemaphore'] as const)(
      'the holders of a %s, and how many permits are left',
      async (kind) => {
        const locks = await open();
        const hold = await locks[kind]('places', { permits: 5 }).acquire({ permits: 2 });
        const { available, permits, holders } = await described(locks, kind, 'places');
        expect([available, permits, holders.map(({ count }) => count)]).toStrictEqual([3, 5, [2]]);
        await hold.release();
        expect((await described(locks, kind, 'places')).holders).toStrictEqual([]);
      },
    );

    test('permits with their ids, those of Java without an end too', async () => {
      const locks = await open();
      const seats = locks.permitSemaphore('seats', { permits: 5 });
      const permit = await seats.acquire({ permits: 2, leaseMs: 30_000 });
      const never = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
      await server.command('DECR', 'seats');
      await server.command('ZADD', '{seats}:timeout', '922337203685477', never);
      const seen = await described(locks, 'permitSemaphore', 'seats');
      expect(seen.permits).toBe(5);
      expect(seen.available).toBe(2);
      const [ours, java] = seen.holders;
      expect(ours?.owner).toBe(permit.id);
      expect(ours?.count).toBe(2);
      expect(ours?.program).toBe('holdfast');
      expect(ours?.remainingMs).toBeGreaterThan(20_000);
      expect(ours?.remainingMs).toBeLessThanOrEqual(30_000);
      expect(java).toStrictEqual({
        owner: '00112233445566778899aabbccddeeff',
        program: 'redisson',
        remainingMs: Infinity,
        count: 1,
      });
      await permit.release();
    });

    test('the line of a fair lock, with the time of each place', async () => {
      const locks = await open({ renewalLeaseMs: 20_000 });
      const lock = locks.fairLock('fair');
      const hold = await lock.acquire();
      const waiting = lock.acquire();
      await waitFor('it stands in line', async () => (await lock.waiters()) === 1);
      await server.command('RPUSH', 'redisson_lock_queue:{fair}', JAVA, OTHER_JAVA);
      await server.command('ZADD', 'redisson_lock_timeout:{fair}', Date.now() + 600_000, JAVA);
      const seen = await described(locks, 'fairLock', 'fair');
      expect(seen.holders[0]?.fence).toBe(hold.fence);
      expect(seen.waiters).toStrictEqual({ count: 3, counts: 'fleet' });
      expect.assert(seen.line.order === 'turns');
      const { places } = seen.line;
      expect(places.map(({ program }) => program)).toStrictEqual(['holdfast', 'redisson', 'redisson']);
      const [ours, java, ghost] = places.map(({ lapsesInMs }) => lapsesInMs);
      expect(ours).toBeDefined();
      expect(ours).toBeGreaterThan(0);
      expect(java).toBeDefined();
      expect(java).toBeGreaterThan(500_000);
      expect(java).toBeLessThanOrEqual(600_000);
      expect(ghost).toBeUndefined();
      await server.command('LREM', 'redisson_lock_queue:{fair}', '0', JAVA);
      await server.command('LREM', 'redisson_lock_queue:{fair}', '0', OTHER_JAVA);
      await hold.release();
      await (await waiting).release();
    });

    test('cells, with what they keep', async () => {
      const locks = await open();
      const office = await locks.election('chair').campaign({ value: 'me' });
      const chair = await described(locks, 'election', 'chair');
      expect(chair.value).toBe('me');
      expect(chair.holders[0]?.fence).toBe(office.fence);
      await office.resign();
      expect(await locks.inspector.describe('election', 'chair')).toBeNull();

      const queue = locks.monitor('queue', { initial: { items: 0 } });
      const emptied = queue.run((m) => m.waitUntil('notEmpty', ({ items }) => items > 0));
      await waitFor('it waits', async () => {
        const seen = await locks.inspector.describe('monitor', 'queue');
        return seen?.kind === 'monitor' && seen.conditions['notEmpty'] === 1;
      });
      expect((await described(locks, 'monitor', 'queue')).state).toStrictEqual({ items: 0 });
      await queue.run((m) => {
        m.set({ items: 1 });
        m.signal('notEmpty');
      });
      await emptied;

      const barrier = locks.barrier('start', { parties: 2 });
      const arriving = barrier.arrive();
      await waitFor('one has come', async () => (await barrier.waiting()) === 1);
      const start = await described(locks, 'barrier', 'start');
      expect([start.parties, start.generation, start.waiters.count, start.broken]).toStrictEqual([
        2,
        0,
        1,
        undefined,
      ]);
      await Promise.all([barrier.arrive(), arriving]);
    });

    test('holders that no list would recognise, when the kind is given', async () => {
      const locks = await open();
      await server.command('HSET', 'odd', 'worker-7', '1');
      expect(await listed(locks)).toStrictEqual([]);
      const [holder] = (await described(locks, 'lock', 'odd')).holders;
      expect(holder).toStrictEqual({ owner: 'worker-7', program: 'other', remainingMs: Infinity, count: 1 });
    });

    test('bad arguments are refused by rejecting', async () => {
      const { inspector } = await open();
      await expect(inspector.describe('mutex' as never, 'a')).rejects.toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(/no kind "mutex"; known are lock, fairLock/),
      });
      await expect(inspector.describe('toString' as never, 'a')).rejects.toMatchObject({ name: 'TypeError' });
      await expect(inspector.describe('lock', '')).rejects.toMatchObject({ name: 'RangeError' });
    });
  });

  describe('changes', () => {
    test('emits what any client released, counted or set', async () => {
      const [locks, elsewhere] = [await open(), await open()];
      const heard: Change[] = [];
      const stop = await locks.inspector.changes((change) => void heard.push(change));
      const until = (change: Change): Promise<unknown> =>
        waitFor(`told of ${JSON.stringify(change)}`, () =>
          heard.some((one) => JSON.stringify(one) === JSON.stringify(change)),
        );
      await elsewhere.lock('a').run(() => undefined);
      await until({ what: 'name', kind: 'lock', name: 'a' });
      await elsewhere.readWriteLock('b').write.run(() => undefined);
      await until({ what: 'name', kind: 'readWriteLock', name: 'b' });
      await elsewhere.semaphore('c', { permits: 1 }).run(() => undefined);
      await until({ what: 'name', kind: 'semaphore', name: 'c' });
      await until({ what: 'name', kind: 'permitSemaphore', name: 'c' });
      await elsewhere.latch('d').trySetCount(1);
      await until({ what: 'name', kind: 'latch', name: 'd' });
      const office = await elsewhere.election('e').campaign();
      await until({ what: 'name', kind: 'election', name: 'e' });
      await office.resign();
      await server.command('PUBLISH', `redisson_lock__channel:{f}:${JAVA}`, '0');
      await until({ what: 'name', kind: 'fairLock', name: 'f' });
      expect(
        heard.every(({ what }) => what === 'name'),
        'nothing was missed',
      ).toBe(true);
      stop();
      const before = heard.length;
      await elsewhere.lock('a').run(() => undefined);
      expect(heard.length).toBe(before);
    });

    test('emits a gap in which it may have missed something', async () => {
      const locks = await open();
      const heard: Change[] = [];
      const stop = await locks.inspector.changes((change) => void heard.push(change));
      await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await waitFor('the gap is reported', () => heard.length > 0);
      expect(heard[0]).toStrictEqual({ what: 'anything' });
      stop();
    });

    test('a watcher does not count as a waiter to which a release yields', async () => {
      const locks = await open();
      const stop = await locks.inspector.changes(() => undefined);
      const channel = 'redisson_lock__channel:{hot}';
      const receivers = async (): Promise<unknown> => {
        await javaTakes('hot');
        const { source, command } = lockRelease(
          { lock: 'hot', crowd: 'holdfast_lock_crowd:{hot}' },
          { owner: JAVA, publish: 'PUBLISH', channel, beside: '' },
        );
        return server.command('EVAL', source, ...command.slice(2));
      };
      expect(await receivers()).toBe(0);
      using waiter = await server.subscribe({ channel });
      expect(await receivers()).toBe(1);
      expect((await waiter.next()).payload).toBe('0');
      stop();
    });

    test('the clients of a crowd count as waiters of their lock', async () => {
      const locks = await open();
      await javaTakes('hot');
      const channel = 'redisson_lock__channel:{hot}';
      const channels = [channel, ...['1', '2'].map((digit) => `${channel}:${digit.repeat(32)}`)];
      const ofFairLock = `${channel}:${'2'.repeat(32)}:1`;
      const listening = await Promise.all(
        [...channels, ofFairLock].map((one) => server.subscribe({ channel: one })),
      );
      expect(await locks.inspector.describe('lock', 'hot')).toMatchObject({ waiters: { clients: 3 } });
      const sightings = [];
      for await (const sighting of locks.inspector.list()) sightings.push(sighting);
      expect(sightings).toMatchObject([{ kind: 'lock', name: 'hot', waiters: { clients: 3 } }]);
      for (const one of listening) one[Symbol.dispose]();
    });

    test('the waiters of a lock count whose name ends as the channel of a client does', async () => {
      const locks = await open();
      const name = `{hot}:${'1'.repeat(32)}`;
      await javaTakes(name);
      const waiter = await server.subscribe({ channel: `redisson_lock__channel:${name}` });
      expect(await locks.inspector.describe('lock', name)).toMatchObject({ waiters: { clients: 1 } });
      waiter[Symbol.dispose]();
    });

    test('needs a function', async () => {
      const { inspector } = await open();
      await expect(inspector.changes(undefined as never)).rejects.toMatchObject({ name: 'TypeError' });
    });
  });

  describe('forceRelease', () => {
    test('takes it from the owner or the fence that was seen', async () => {
      const locks = await open();
      const { inspector } = locks;
      for (const by of ['owner', 'fence', 'both'] as const) {
        const hold = await locks.lock('a').acquire();
        const [seen] = (await described(locks, 'lock', 'a')).holders;
        const { owner, fence } = seen!;
        const expected = { ...(by !== 'fence' && { owner }), ...(by !== 'owner' && { fence: fence! }) };
        expect(await inspector.forceRelease('lock', 'a', expected), by).toBe(true);
        expect(hold.lost.aborted, 'ours is notified at once').toBe(true);
        await expect(hold.release()).rejects.toBeInstanceOf(LeaseLostError);
        const next = await locks.lock('a').acquire();
        expect(next.fence, 'the fence was raised').toBeGreaterThan(hold.fence + 1n);
        expect(await inspector.forceRelease('lock', 'a', expected), 'a newer hold is let alone').toBe(false);
        next.throwIfLost();
        await next.release();
      }
    });

    test('wakes those who wait', async () => {
      const [locks, elsewhere] = [await open(), await open()];
      for (const kind of ['lock', 'fairLock'] as const) {
        await locks[kind](kind).acquire();
        const waiting = elsewhere[kind](kind).acquire();
        await waitFor('it waits', async () => (await elsewhere[kind](kind).waiters()) > 0);
        const { owner } = (await described(locks, kind, kind)).holders[0]!;
        // By either name: in the hash there is no difference.
        expect(await elsewhere.inspector.forceRelease('lock', kind, { owner })).toBe(true);
        await (await waiting).release();
      }
    });

    test('a fence alone breaks nothing of Java’s: it is not its own', async () => {
      const locks = await open();
      const hold = await locks.lock('a').acquire();
      const { fence } = hold;
      await hold.release();
      await javaTakes('a');
      expect(await locks.inspector.forceRelease('lock', 'a', { fence })).toBe(false);
      expect(await locks.inspector.forceRelease('lock', 'a', { owner: JAVA, fence })).toBe(false);
      expect(await locks.inspector.forceRelease('lock', 'a', { owner: OTHER_JAVA })).toBe(false);
      expect(await server.command('HGET', 'a', JAVA)).toBe('1');
      using heard = await server.subscribe({ channel: 'redisson_lock__channel:{a}' });
      expect(await locks.inspector.forceRelease('lock', 'a', { owner: JAVA })).toBe(true);
      expect((await heard.next()).payload).toBe('0');
      expect(await server.command('EXISTS', 'a')).toBe(0);
      const next = await locks.lock('a').acquire();
      expect(next.fence).toBeGreaterThan(fence + 1n);
      await next.release();
    });

    test('of several readers takes away the one that is meant', async () => {
      const locks = await open();
      const { read, write } = locks.readWriteLock('rw');
      const [one, two] = [await read.acquire(), await read.acquire()];
      await server.command('HSET', 'rw', JAVA, 1);
      await server.command('SET', `{rw}:${JAVA}:rwlock_timeout:1`, '1', 'PX', 30_000);
      const force = (expected: object) => locks.inspector.forceRelease('readWriteLock', 'rw', expected);
      expect(await force({ fence: one.fence })).toBe(true);
      expect(one.lost.aborted).toBe(true);
      two.throwIfLost();
      expect(await force({ owner: JAVA })).toBe(true);
      two.throwIfLost();
      expect((await described(locks, 'readWriteLock', 'rw')).holders.length).toBe(1);
      expect(await write.tryAcquire()).toBeNull();
      await two.release();
      const writing = await write.acquire();
      expect(await force({ fence: two.fence })).toBe(false);
      expect(await force({ fence: writing.fence })).toBe(true);
      expect(await read.isLocked()).toBe(false);
      expect(await write.isLocked()).toBe(false);
    });

    test('elections, monitors and permits', async () => {
      const locks = await open();
      const { inspector } = locks;
      const office = await locks.election('chair').campaign();
      expect(await inspector.forceRelease('election', 'chair', { owner: 'nobody' })).toBe(false);
      expect(await inspector.forceRelease('election', 'chair', { fence: office.fence })).toBe(true);
      expect(office.lost.aborted).toBe(true);

      const inside = locks.monitor('queue', { initial: 0 }).run(async (m) => {
        const { owner } = (await described(locks, 'monitor', 'queue')).holders[0]!;
        expect(await inspector.forceRelease('monitor', 'queue', { owner })).toBe(true);
        m.set(1);
      });
      await expect(inside).rejects.toBeInstanceOf(LeaseLostError);
      expect(await locks.monitor('queue', { initial: 0 }).peek(), 'its write came too late').toBe(0);

      const pool = locks.semaphore('pool', { permits: 2 });
      const two = await pool.acquire({ permits: 2 });
      const { owner: holder } = (await described(locks, 'semaphore', 'pool')).holders[0]!;
      expect(await inspector.forceRelease('semaphore', 'pool', { owner: holder })).toBe(true);
      expect(two.lost.aborted).toBe(true);
      expect(await pool.available()).toBe(2);

      const seats = locks.permitSemaphore('seats', { permits: 2 });
      const permit = await seats.acquire({ leaseMs: 30_000 });
      expect(await inspector.forceRelease('permitSemaphore', 'seats', { owner: permit.id })).toBe(true);
      expect(await seats.available()).toBe(2);
      expect(await inspector.forceRelease('permitSemaphore', 'seats', { owner: permit.id })).toBe(false);
    });

    test('needs what was seen, and a kind that has holders', async () => {
      const { inspector } = await open();
      const force = (kind: string, expected: unknown) =>
        inspector.forceRelease(kind as never, 'a', expected as never);
      const refused = { name: 'TypeError', message: expect.stringMatching(/needs what was seen/) };
      await expect(force('lock', {})).rejects.toMatchObject(refused);
      await expect(force('lock', { fence: 5 })).rejects.toMatchObject(refused);
      await expect(force('lock', { owner: 5 })).rejects.toMatchObject(refused);
      await expect(force('lock', undefined)).rejects.toMatchObject({ name: 'TypeError' });
      await expect(force('lock', { token: 5n })).rejects.toMatchObject({
        name: 'TypeError',
        message: expect.stringMatching(/no option "token"/),
      });
      for (const kind of ['latch', 'barrier'])
        await expect(force(kind, { owner: 'x' })).rejects.toMatchObject({
          name: 'TypeError',
          message: `${kind} "a": a ${kind} has no holders, so forceRelease has nothing to take away. Call reset() of the ${kind} to begin anew.`,
        });
    });
  });
});
