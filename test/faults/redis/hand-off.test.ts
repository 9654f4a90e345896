import { expect, test, vi } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, type ClientName, openLocks } from './open-locks.ts';
import { startProgram } from './program.ts';

// Processes are started, and a lease ends, in several cases at once.
vi.setConfig({ testTimeout: 40_000 });

/** That of the programs beside this file. */
const NAME = 'fairLock';
/** So long that the client that gets in within the time of a test does not owe it to the lease, nor to looking by itself. */
const LONG_MS = 120_000;
/** Who has stood in line for three tenths of it is not let in any more: long enough to get there on a busy machine. */
const SHORT_MS = 6000;

const places = async (server: RedisServer): Promise<string[]> =>
  (await server.command('HVALS', `holdfast_lock_wait:{${NAME}}`)) as string[];

/** So many stand in line who may be let in. */
async function waitOffered(server: RedisServer, count: number): Promise<void> {
  await waitFor(`${count} stand in line and may be let in`, async () => {
    const offered = (await places(server)).filter((place) => !/ 0 0 \d+$/.test(place));
    return offered.length === count;
  });
}

/** Another process that waits for the lock, among other things. */
const startWaiter = (client: ClientName, server: RedisServer) =>
  startProgram('waiter', { client, place: { port: server.port }, renewalLeaseMs: SHORT_MS });

async function scriptCalls(server: RedisServer): Promise<number> {
  const stats = String(await server.command('INFO', 'commandstats'));
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1]);
}

describeRedis('the next in line of a fair lock', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: is handed the lock off by the release, and asks for nothing',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
      await using others = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
      const hold = await locks.fairLock(NAME).acquire();
      const waiting = others.fairLock(NAME).acquire();
      await waitOffered(server, 1);

      const before = await scriptCalls(server);
      await hold.release();
      await expect(server.command('EXISTS', NAME)).resolves.toBe(1);
      const next = await waiting;
      await expect(scriptCalls(server)).resolves.toBe(before + 1);
      expect(next.fence).toBeGreaterThan(hold.fence);
      expect((await others.fairLock(NAME).holder())?.fence).toBe(next.fence);
      await next.release();
      await expect(server.command('EXISTS', NAME)).resolves.toBe(0);
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: learns of it when the message was lost', async (client) => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    await using locks = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
    await using others = await openLocks(client, proxy, { renewalLeaseMs: LONG_MS });
    const hold = await locks.fairLock(NAME).acquire();
    const waiting = others.fairLock(NAME).acquire();
    await waitOffered(server, 1);
    // The client that cannot listen for long goes on without.
    await waitFor('it listens', async () => (await server.command('PUBSUB', 'NUMPAT')) === 1);

    proxy.refuse();
    expect(await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub')).toBe(1);
    await hold.release();
    const [owner] = (await server.command('HKEYS', NAME)) as string[];
    await proxy.accept();

    const next = await waiting;
    expect((await locks.fairLock(NAME).holder())?.owner).toBe(owner);
    await next.release();
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: if it has died, is passed over when its lease is over',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { renewalLeaseMs: SHORT_MS });
      const hold = await locks.fairLock(NAME).acquire();
      await using waiter = startWaiter(client, server);
      await waitOffered(server, 1);
      const behind = locks.fairLock(NAME).acquire();
      await waitOffered(server, 2);

      await waiter.kill();
      await hold.release();
      const leftMs = Number(await server.command('PTTL', NAME));
      const letInAtMs = performance.now();
      // No longer than its place would have been in the way.
      expect(leftMs).toBeGreaterThan(0);
      expect(leftMs).toBeLessThan(SHORT_MS);
      const next = await behind;
      expect(performance.now() - letInAtMs).toBeGreaterThan(leftMs - 20);
      expect(next.fence).toBeGreaterThan(hold.fence);
      await next.release();
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: if it stood still meanwhile, believes no message from then',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { renewalLeaseMs: SHORT_MS });
      const hold = await locks.fairLock(NAME).acquire();
      await using waiter = startWaiter(client, server);
      // What else it waits for it has: a request that is under way when it is stopped comes too late afterwards.
      for (const kind of ['lock', 'writeLock', 'semaphore', 'permitSemaphore', 'election'])
        await waiter.fact(kind);
      await waitOffered(server, 1);

      await waiter.pause();
      await hold.release();
      const letIn = await locks.fairLock(NAME).holder();
      // It was let in. Its lease ends, and another client has the lock.
      const next = await locks.fairLock(NAME).acquire();
      waiter.resume();
      await waitFor('it has asked again', async () => (await places(server)).length === 1);
      next.throwIfLost();
      expect(waiter.facts.filter(({ what }) => what === NAME)).toEqual([]);
      await next.release();

      const after = await waiter.fact(NAME);
      expect(BigInt(String(after['fence']))).toBeGreaterThan(next.fence);
      expect(next.fence).toBeGreaterThan(letIn!.fence);
      await waiter.end();
    },
  );
});
