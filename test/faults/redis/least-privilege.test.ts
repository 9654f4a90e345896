import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { quorumLock } from '../../../src/index.ts';
import type { Suite } from '../../../src/testing/suites/suite.ts';
import { suites } from '../../../src/testing/suites/suites.ts';
import { RedisHarness } from '../../engines/redis/redis-harness.ts';
import { sideBySide } from '../../engines/redis/side-by-side.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { IN_SCRIPTS, leastPrivilege, OPTIONAL } from './least-privilege.ts';
import { openClient, openLocks } from './open-locks.ts';
import { CASE_LIMIT_MS, LONG_LEASE_MS, SHORT_LEASE_MS, verbCases } from './verb-cases.ts';

vi.setConfig({ testTimeout: CASE_LIMIT_MS });

const keyPrefix = 'app:';
/** Long, because many cases share two cores, each with leases of a few units. */
const UNIT_MS = 700;
const credentials = { username: 'worker', password: 'secret' };

describeRedis('a user with no more than what is needed', () => {
  let server: RedisServer;
  let third: RedisSynchronizers;
  const contended = new Set<string>();
  beforeAll(async () => {
    server = await startRedisServer();
    const { username, password } = credentials;
    await server.command('ACL', 'SETUSER', username, 'on', `>${password}`, ...leastPrivilege(keyPrefix));
    third = await openLocks('node-redis', { port: server.port, ...credentials });
    third.on('contended', ({ name }) => contended.add(name));
  });
  afterAll(async () => {
    await third.close();
    await server.stop();
  });

  test('may do nothing else', async () => {
    using connection = await server.connect();
    await connection.command('AUTH', credentials.username, credentials.password);
    for (const words of [
      ['FLUSHALL'],
      ['FLUSHDB'],
      ['KEYS', '*'],
      ['SCAN', 0],
      ['CONFIG', 'GET', '*'],
      ['ACL', 'LIST'],
      ['SCRIPT', 'FLUSH'],
      ['CLIENT', 'LIST'],
      ['INFO'],
      ['MONITOR'],
      ['SHUTDOWN'],
      ['DEBUG', 'SLEEP', 0],
      ['GET', 'elsewhere'],
      ['DEL', 'redisson_lock_token:{elsewhere}'],
      ['EVAL', "return redis.call('GET', KEYS[1])", 1, 'elsewhere'],
      ['EVAL', "return redis.call('GET', 'elsewhere')", 0],
      ['EVAL', "return redis.call('FLUSHALL')", 0],
      ['PUBLISH', 'elsewhere', 'x'],
      ['SUBSCRIBE', 'redisson_lock__channel:{elsewhere}'],
      ['PSUBSCRIBE', '*'],
    ]) {
      await expect(connection.command(...words)).rejects.toThrow(/NOPERM|can't (run|access)/);
    }
  });

  test('may call what the scripts call, and nothing that none of them calls', () => {
    const called = scripts().flatMap((text) => [...text.matchAll(/redis\.p?call\('([A-Z]+)'/g)]);
    const words = new Set(called.map(([, word = '']) => word.toLowerCase()));
    const optional = new Set(OPTIONAL.map((command) => command.split('|')[0]));
    // By the name that it has where it is used: sharded in a cluster.
    words.add('publish');
    expect([...words].filter((word) => !optional.has(word)).toSorted()).toEqual(IN_SCRIPTS.toSorted());
  });

  for (const [kind, cases] of Object.entries(verbCases)) {
    for (const [title, play] of Object.entries(cases)) {
      test.concurrent(`may use every verb: ${kind} ${title}`, async () => {
        const place = { port: server.port, ...credentials };
        const renewalLeaseMs = title === 'renew' ? SHORT_LEASE_MS : LONG_LEASE_MS;
        await using locks = await openLocks('ioredis', place, { renewalLeaseMs });
        await using other = await openLocks('ioredis', place, { renewalLeaseMs: LONG_LEASE_MS });
        const troubles: unknown[] = [];
        for (const each of [locks, other]) each.on('trouble', ({ error }) => troubles.push(error));
        await play({
          name: `${keyPrefix}${kind} ${title}`,
          locks,
          other,
          third,
          contended,
          lose: () => undefined,
          command: (...words) => server.command(...words),
        });
        expect(troubles).toEqual([]);
      });
    }
  }

  // A fair lock would listen by a pattern, and patterns are not permitted: it is to listen by name, also if that turns out
  // when those who wait have long stopped waiting for their subscription.
  test.concurrent('is woken, however late it turns out how', async () => {
    await using proxy = await startTcpProxy(server);
    const slow = { keyPrefix, renewalLeaseMs: 120_000, commandTimeoutMs: 400 };
    await using locks = await openLocks('node-redis', { port: proxy.port, ...credentials }, slow);
    await using other = await openLocks('node-redis', { port: server.port, ...credentials }, slow);
    const hold = await other.fairLock('late').acquire();
    proxy.toServer.delayMs = 250;
    const waiting = [locks.fairLock('late').acquire()];
    // Those who ask in the same turn of the loop would stand at one place.
    await nextTurn();
    waiting.push(locks.fairLock('late').acquire());
    await waitFor('both stand in line', async () => (await other.fairLock('late').waiters()) === 2);
    await waitFor('both listen by name', async () => {
      const channels = await server.command('PUBSUB', 'CHANNELS', '*app:late*');
      return Array.isArray(channels) && channels.length === 2;
    });
    await hold.release();
    const [first, second] = waiting;
    await (await first)?.release();
    expect((await second)?.fence).toBeGreaterThan(hold.fence);
  });

  test.concurrent('may also use names with braces', async () => {
    await using locks = await openLocks('node-redis', { port: server.port, ...credentials }, { keyPrefix });
    const names = ['{tag}:1', 'a{b}c', '{}'];
    for (const name of names) {
      await locks.fairLock(name).run(() => undefined);
      await locks.readWriteLock(name).read.run(() => undefined);
      await locks.election(name).campaign();
    }
    const held = await Promise.all(names.map((name) => locks.lock(name).acquire()));
    expect(await server.command('EXISTS', ...names.map((name) => keyPrefix + name))).toBe(names.length);
    for (const hold of held) await hold.release();
  });

  test.concurrent('needs INFO to be counted by a quorum', async () => {
    const { username, password } = credentials;
    const place = { port: server.port, username: 'voter', password };
    const words = [...leastPrivilege(keyPrefix), ...OPTIONAL.map((command) => `+${command}`)];
    await server.command('ACL', 'SETUSER', 'voter', 'on', `>${password}`, ...words);
    await using without = await openLocks(
      'node-redis',
      { ...place, username },
      { label: 'without', keyPrefix },
    );
    await using voter = await openLocks('node-redis', place, { label: 'with', keyPrefix });
    const lease = { longestLeaseMs: 1000 };
    await expect(quorumLock([without.lock('q1')], lease).acquire({ leaseMs: 1000 })).rejects.toMatchObject({
      code: 'QUORUM',
    });
    const quorum = quorumLock([voter.lock('q2')], lease);
    await waitFor('the server is old enough', () => quorum.run(() => true, { leaseMs: 1000 }));
  });
});

describeRedis('the suites, by a user with no more than what is needed', () => {
  let server: RedisServer;
  const { username, password } = credentials;
  const connect = () => openClient('node-redis', { port: server.port, ...credentials });
  const harness = new RedisHarness(connect, {}, UNIT_MS);
  // Lost answers are tested elsewhere, and are nothing that a user is permitted or not.
  (harness as { loseNextReply?: unknown }).loseNextReply = undefined;
  beforeAll(async () => {
    server = await startRedisServer();
    // Each case has a prefix of its own there, which begins with its number.
    const rules = new Set(Array.from('123456789').flatMap(leastPrivilege));
    await server.command('ACL', 'SETUSER', username, 'on', `>${password}`, ...rules);
  });
  afterAll(async () => {
    await harness.bury();
    await server.stop();
  });

  // Half of them at a time: on two cores, all at once would be late for their own leases.
  const runner = sideBySide(describe, test);
  const all = Object.values(suites) as unknown as Suite<never>[];
  for (const part of [0, 1]) {
    describe(`part ${part + 1}`, () => {
      for (const suite of all.filter((_, at) => at % 2 === part)) suite({ ...runner, harness });
    });
  }
});

/** Of the synchronizers. The locks of Spring and the inspector are for those who want them, and need more. */
function scripts(): readonly string[] {
  const folder = new URL('../../../src/engines/redis/scripts/', import.meta.url);
  const files = readdirSync(folder).filter((file) => !/^(spring-|hash-look|fair-line-look)/.test(file));
  return files.map((file) => readFileSync(new URL(file, folder), 'utf8'));
}
