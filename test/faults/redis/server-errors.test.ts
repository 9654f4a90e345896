import { expect, test, vi } from 'vitest';
import type { Hold } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { RespConnection } from '../../fixtures/redis/resp-connection.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { holdables } from './holdables.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

// Many cases start servers side by side: the limit only ends a case that hangs.
vi.setConfig({ testTimeout: 60_000 });

const name = 'ledger';
/** For servers that never do what is asked: the error comes after twice this time. */
const brief = { commandTimeoutMs: 400 };

/** An error of ours, of this kind, that says this. */
function engineError(retryable: boolean, says: RegExp) {
  return expect.objectContaining({ code: 'ENGINE', retryable, message: expect.stringMatching(says) });
}

/** What it is rejected with. */
async function refusalOf(acquiring: Promise<unknown>): Promise<unknown> {
  const outcome = await acquiring.then(
    () => undefined,
    (error: unknown) => error,
  );
  return outcome;
}

describeRedis('a server without memory', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: lets holders go on and leave, grants nothing new, and says why',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { renewalLeaseMs: 4500 });
      await using other = await openLocks(client, server);
      const pool = locks.bareSemaphore('pool', { permits: 3 });
      await locks.latch('latch').trySetCount(2);
      const held: Hold[] = [await pool.acquire({ permits: 2 })];
      held.push(await locks.readWriteLock('read').read.acquire());
      for (const { acquire } of holdables(locks)) held.push(await acquire());

      await server.command('CONFIG', 'SET', 'maxmemory', 1);

      const outOfMemory = engineError(true, /out of memory/);
      expect(await refusalOf(other.lock('new').acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.fairLock('new').acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.readWriteLock('new').read.acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.readWriteLock('new').write.acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.semaphore('new', { permits: 1 }).acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.bareSemaphore('new', { permits: 1 }).acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.permitSemaphore('new', { permits: 1 }).acquire())).toEqual(outOfMemory);
      expect(await refusalOf(other.latch('new').trySetCount(1))).toEqual(outOfMemory);
      expect(await other.latch('latch').countDown()).toBe(1);

      // Longer than the lease: each has been renewed meanwhile.
      await new Promise((resolve) => setTimeout(resolve, 6000));
      for (const hold of held) await hold.release();
      expect(await server.command('GET', 'pool')).toBe('3');
      expect(await server.command('KEYS', 'new*')).toEqual([]);

      await server.command('CONFIG', 'SET', 'maxmemory', 0);
      await (await other.lock('new').acquire()).release();
      for (const { acquire } of holdables(other)) await (await acquire({ timeoutMs: 20_000 })).release();
    },
  );
});

describeRedis('a server that is not ready', () => {
  test.concurrent.each(CLIENT_NAMES)('%s: READONLY is tried again until it is the master', async (client) => {
    await using master = await startRedisServer();
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { commandTimeoutMs: 10_000 });
    await server.command('REPLICAOF', '127.0.0.1', master.port);
    const acquiring = locks.lock(name).acquire();
    await waitFor('it was refused', async () => (await errors(server, 'READONLY')) > 0);
    await server.command('REPLICAOF', 'NO', 'ONE');
    expect((await acquiring).fence).toBeGreaterThan(0n);
  });

  test.concurrent.each(CLIENT_NAMES)('%s: READONLY that lasts is an error', async (client) => {
    await using master = await startRedisServer();
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, brief);
    await server.command('REPLICAOF', '127.0.0.1', master.port);
    expect(await refusalOf(locks.lock(name).acquire())).toEqual(engineError(true, /READONLY|did not answer/));
    expect(await errors(server, 'READONLY')).toBeGreaterThan(1);
  });

  test.concurrent.each(CLIENT_NAMES)('%s: NOREPLICAS is tried again until one is there', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { commandTimeoutMs: 10_000 });
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', 1);
    const acquiring = locks.lock(name).acquire();
    await waitFor('it was refused', async () => (await errors(server, 'NOREPLICAS')) > 0);
    await server.command('CONFIG', 'SET', 'min-replicas-to-write', 0);
    expect((await acquiring).fence).toBeGreaterThan(0n);
  });

  test.concurrent.each(CLIENT_NAMES)('%s: BUSY is tried again until it is idle', async (client) => {
    await using server = await startRedisServer({ args: { 'busy-reply-threshold': '10' } });
    await using locks = await openLocks(client, server, { commandTimeoutMs: 10_000 });
    using busy = await server.connect();
    const looping = busy.command('EVAL', 'while true do end', 0).catch(() => undefined);
    await waitFor('it is busy', () => refusedWith(server, 'BUSY'));
    // Ten times as long as it takes to be asked again.
    const acquiring = locks.lock(name).acquire();
    const early = await Promise.race([acquiring, new Promise((resolve) => setTimeout(resolve, 1000))]);
    await server.command('SCRIPT', 'KILL');
    await looping;
    expect(early).toBeUndefined();
    expect((await acquiring).fence).toBeGreaterThan(0n);
  });

  test.concurrent.each(CLIENT_NAMES)('%s: LOADING is tried again until all is read', async (client) => {
    const slowly = {
      // In microseconds; and the bytes after which it answers in between.
      'key-load-delay': '100000',
      'loading-process-events-interval-bytes': '1024',
      rdbcompression: 'no',
    };
    await using server = await startRedisServer({ args: slowly });
    await using locks = await openLocks(client, server, { commandTimeoutMs: 15_000, renewalLeaseMs: 60_000 });
    const hold = await locks.lock(name).acquire();
    for (let at = 0; at < 10; at += 1) await server.command('SET', `key ${at}`, 'x'.repeat(4096));
    await server.command('SAVE');
    await server.kill();

    const restarted = server.restart();
    await waitFor('it is loading', () => refusedWith(server, 'LOADING'));
    const acquiring = locks.lock('another').acquire();
    await hold.release();
    const another = await acquiring;
    await restarted;
    expect(await locks.lock(name).isLocked()).toBe(false);
    expect((await locks.lock('another').holder())?.fence).toBe(another.fence);
  });
});

describeRedis('a server that refuses', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: a script that fails is an error, and nothing is held',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { commandTimeoutMs: 10_000 });
      for (const broken of [
        'lock',
        'fairLock',
        'writeLock',
        'semaphore',
        'permitSemaphore',
        'read',
        'pool',
      ]) {
        await server.command('SET', `redisson_lock_token:{${broken}}`, 'not a number');
      }
      const failed = engineError(
        false,
        /Redis refused the command: .*the token of this name is not a number/,
      );
      const lockKeys = [
        'lock',
        'fairLock',
        'writeLock',
        'read',
        '{semaphore}:timeout',
        '{permitSemaphore}:timeout',
      ];
      for (const { acquire } of holdables(locks).filter(({ kind }) => kind !== 'election')) {
        expect(await refusalOf(acquire())).toEqual(failed);
      }
      expect(await refusalOf(locks.readWriteLock('read').read.acquire())).toEqual(failed);
      expect(await refusalOf(locks.bareSemaphore('pool', { permits: 2 }).acquire())).toEqual(failed);
      expect(await server.command('EXISTS', ...lockKeys)).toBe(0);
      expect(await server.command('GET', 'redisson_lock_token:{lock}')).toBe('not a number');
      expect(await server.command('GET', 'pool')).toBe('2');
      expect(await server.command('MGET', 'semaphore', 'permitSemaphore')).toEqual(['1', '1']);
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: it forgets all scripts and is sent them again', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { commandTimeoutMs: 10_000 });
    for (let time = 0; time < 3; time += 1) {
      await server.command('SCRIPT', 'FLUSH');
      const holds = await Promise.all(holdables(locks).map(({ acquire }) => acquire()));
      await server.command('SCRIPT', 'FLUSH');
      for (const hold of holds) await hold.release();
    }
    expect(await server.command('EXISTS', 'lock', 'fairLock', 'writeLock')).toBe(0);
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: a user without permission is refused with the reason',
    async (client) => {
      await using server = await startRedisServer();
      const rules = [
        // No scripts; no such keys; no such commands in a script.
        ['~*', '&*', '+@all', '-@scripting'],
        ['~elsewhere:*', '&*', '+@all'],
        ['~*', '&*', '+@all', '-hset', '-hexists', '-hget'],
      ];
      const refused = engineError(false, /may not run a required command/);
      for (const [at, rule] of rules.entries()) {
        const user = { username: `worker${at}`, password: 'secret' };
        await server.command('ACL', 'SETUSER', user.username, 'on', `>${user.password}`, ...rule);
        await using locks = await openLocks(
          client,
          { port: server.port, ...user },
          { commandTimeoutMs: 10_000 },
        );
        expect(await refusalOf(locks.readWriteLock(name).write.acquire())).toEqual(refused);
        expect(await server.command('EXISTS', name)).toBe(0);
      }
      const user = { username: 'mute', password: 'secret' };
      await server.command('ACL', 'SETUSER', user.username, 'on', `>${user.password}`, '~*', '+@all');
      await server.command('ACL', 'SETUSER', user.username, 'resetchannels');
      await using locks = await openLocks(
        client,
        { port: server.port, ...user },
        { commandTimeoutMs: 10_000 },
      );
      const hold = await locks.readWriteLock(name).write.acquire();
      await hold.release();
      expect(await server.command('EXISTS', name)).toBe(0);
    },
  );
});

async function errors(server: RedisServer, code: string): Promise<number> {
  const info = await server.info('errorstats');
  return Number(/count=(\d+)/.exec(info[`errorstat_${code}`] ?? '')?.[1] ?? 0);
}

/** Whether a command of ours is refused so, on a connection of its own. */
async function refusedWith({ port }: RedisServer, code: string): Promise<boolean> {
  using connection = await RespConnection.open({ port, deadlineMs: 1000 });
  const answer = await connection.command('GET', 'anything').catch((error: unknown) => error);
  return String(answer).includes(code);
}
