import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

/** Uses one of each kind by this name, one after the other: some of them have the same key. */
const uses: Readonly<Record<string, (locks: RedisSynchronizers, name: string) => Promise<unknown>>> = {
  lock: (locks, name) => locks.lock(name).run(() => undefined),
  fairLock: (locks, name) => locks.fairLock(name).run(() => undefined),
  readLock: (locks, name) => locks.readWriteLock(name).read.run(() => undefined),
  writeLock: (locks, name) => locks.readWriteLock(name).write.run(() => undefined),
  semaphore: (locks, name) => locks.semaphore(name, { permits: 2 }).run(() => undefined),
  bareSemaphore: (locks, name) => locks.bareSemaphore(name, { permits: 2 }).run(() => undefined),
  permitSemaphore: (locks, name) => locks.permitSemaphore(name, { permits: 2 }).run(() => undefined),
  latch: async (locks, name) => {
    await locks.latch(name).trySetCount(1);
    return locks.latch(name).countDown();
  },
  barrier: (locks, name) => locks.barrier(name, { parties: 1 }).arrive(),
  election: async (locks, name) => (await locks.election(name).campaign()).resign(),
  monitor: (locks, name) => locks.monitor(name, { initial: 0 }).run((m) => m.set(m.state + 1)),
};

const ODD = [
  'with spaces and\ttabs',
  'a\nb\r\nc',
  '*?[x]\\',
  '{tagged}:42',
  'a{b}c{d}e',
  '}{',
  '{}',
  '{',
  'Größe 東京 🔒',
  'redisson_lock_token:{x}',
  'x'.repeat(512),
  "'; DROP TABLE locks; --",
];

describeRedis('a name', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  test.each(CLIENT_NAMES)('%s: of any well-formed text is its own', async (client) => {
    await server.command('FLUSHALL');
    await using locks = await openLocks(client, server);
    for (const name of ODD) {
      for (const use of Object.values(uses)) {
        await use(locks, name);
        // A semaphore stays where it was used; the next kind would find something else there.
        await server.command('DEL', name);
      }
    }
    const held = await Promise.all(ODD.map((name) => locks.lock(name).acquire()));
    expect(await server.command('EXISTS', ...ODD)).toBe(ODD.length);
    for (const hold of held) await hold.release();
    expect(await server.command('EXISTS', ...ODD)).toBe(0);
  });

  test.each(CLIENT_NAMES)('%s: wakes the waiters of that name and no others', async (client) => {
    await server.command('FLUSHALL');
    await using locks = await openLocks(client, server, { renewalLeaseMs: 60_000 });
    await using other = await openLocks(client, server, { renewalLeaseMs: 60_000 });
    for (const name of ODD) {
      for (const kind of ['lock', 'fairLock'] as const) {
        const hold = await locks[kind](name).acquire();
        const waiting = other[kind](name).acquire();
        await waitFor('it waits', async () => (await other[kind](name).waiters()) > 0);
        await hold.release();
        await (await waiting).release();
      }
    }
    expect(await server.command('EXISTS', ...ODD)).toBe(0);
  });

  test('that is too long, empty, broken or no text is refused', async () => {
    await using locks = await openLocks('node-redis', server);
    const factories = [
      (name: string) => locks.lock(name),
      (name: string) => locks.fairLock(name),
      (name: string) => locks.readWriteLock(name),
      (name: string) => locks.semaphore(name, { permits: 1 }),
      (name: string) => locks.bareSemaphore(name, { permits: 1 }),
      (name: string) => locks.permitSemaphore(name, { permits: 1 }),
      (name: string) => locks.latch(name),
      (name: string) => locks.barrier(name, { parties: 1 }),
      (name: string) => locks.election(name),
      (name: string) => locks.monitor(name, { initial: 0 }),
    ];
    const bad = ['', 'x'.repeat(513), 'ü'.repeat(257), 'lone \ud800', '\udc00 lone', 'nul\0'];
    for (const make of factories) {
      for (const name of bad) expect(() => make(name)).toThrow(/name of a/);
      expect(() => make(42 as unknown as string)).toThrow(TypeError);
    }
  });

  test('in a cluster must lie in one slot', async () => {
    await using cluster = await startRedisCluster({ replicasPerMaster: 0 });
    const place = { cluster: cluster.nodes.map(({ port }) => port) };
    const { latch, ...others } = uses;
    for (const client of CLIENT_NAMES) {
      await using locks = await openLocks(client, place);
      for (const name of ['plain', '{tagged}:42', 'a{b}c{d}e', 'Größe 東京 🔒', 'a\nb']) {
        for (const use of Object.values(others)) {
          await use(locks, name);
          await (await cluster.masterOf(name)).command('DEL', name);
        }
        // Its channel has braces of its own, in Java as here.
        if (!name.includes('{')) await latch?.(locks, name);
      }
      expect(() => locks.latch('{tagged}:42')).toThrow(/spread over several slots/);
      for (const name of ['{', '{}', '}{', 'a{}b']) {
        for (const use of Object.values(uses)) {
          await expect((async () => use(locks, name))()).rejects.toThrow(/spread over several slots/);
        }
      }
    }
  });
});

describeRedis('a key that holds something else', () => {
  /** What others may have put there, and how to see that it was left alone. */
  const foreign: Readonly<Record<string, readonly [put: readonly string[], look: readonly string[]]>> = {
    text: [
      ['SET', 'NAME', 'not a number'],
      ['GET', 'NAME'],
    ],
    list: [
      ['RPUSH', 'NAME', 'a', 'b'],
      ['LRANGE', 'NAME', '0', '-1'],
    ],
    set: [
      ['SADD', 'NAME', 'a'],
      ['SMEMBERS', 'NAME'],
    ],
    'sorted set': [
      ['ZADD', 'NAME', '1', 'a'],
      ['ZRANGE', 'NAME', '0', '-1'],
    ],
  };
  const keyOf = (kind: string, name: string): string =>
    ['barrier', 'election', 'monitor'].includes(kind) ? `holdfast_${kind}:{${name}}` : name;

  test.each(CLIENT_NAMES)('%s: is an error for every kind, and is left as it was', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server);
    for (const [what, [put, look]] of Object.entries(foreign)) {
      for (const [kind, use] of Object.entries(uses)) {
        const name = `${what} ${kind}`;
        const filled = (words: readonly string[]): string[] =>
          words.map((word) => (word === 'NAME' ? keyOf(kind, name) : word));
        await server.command(...filled(put));
        const before = await server.command(...filled(look));
        await expect(use(locks, name)).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
        expect({ name, left: await server.command(...filled(look)) }).toEqual({ name, left: before });
        expect(await server.command('PTTL', keyOf(kind, name))).toBe(-1);
      }
    }
  });

  test.each(CLIENT_NAMES)('%s: another kind of lock is something else, too', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server);
    await using other = await openLocks(client, server);
    const held = await locks.lock('a').acquire();
    await expect(other.readWriteLock('a').read.acquire()).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
    await expect(other.readWriteLock('a').write.acquire()).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
    await expect(other.semaphore('a', { permits: 1 }).acquire()).rejects.toMatchObject({
      code: 'FOREIGN_STATE',
    });
    await held.release();
    const writing = await locks.readWriteLock('a').write.acquire();
    await expect(other.lock('a').acquire()).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
    await expect(other.fairLock('a').acquire()).rejects.toMatchObject({ code: 'FOREIGN_STATE' });
    writing.throwIfLost();
    await writing.release();
  });
});
