import { expect, test, vi } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';
import { startProgram } from './program.ts';

vi.setConfig({ testTimeout: 40_000 });

const NAME = 'shared';
const LONG_MS = 120_000;
const SHORT_MS = 3000;
/** After so long a grant is not handed on without asking. */
const LONG_SECTION_MS = 80;

async function countsInLine(server: RedisServer): Promise<string[]> {
  const places = (await server.command('HVALS', `holdfast_lock_wait:{${NAME}}`)) as string[];
  return places.map((place) => place.split(' ').at(-1)!);
}

const inLine = async (server: RedisServer, ...counts: number[]) =>
  waitFor(`${counts.join(', ')} stand in line`, async () => {
    const found = await countsInLine(server);
    return found.toSorted().join() === counts.map(String).toSorted().join();
  });

const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describeRedis('several of one process at one place in the line of a fair lock', () => {
  test.concurrent.each(CLIENT_NAMES)('%s: are granted together, and hold in order', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
    await using others = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
    const hold = await locks.fairLock(NAME).acquire();
    const served: string[] = [];
    const fences: bigint[] = [];
    const enter = (name: string) =>
      others.fairLock(NAME).run((mine) => {
        served.push(name);
        fences.push(mine.fence);
      });
    const all = ['one', 'two', 'three'].map(enter);
    await inLine(server, 3);
    all.push(enter('four'));
    await inLine(server, 3, 1);
    await expect(locks.fairLock(NAME).waiters()).resolves.toBe(4);
    await expect(others.fairLock(NAME).waiters()).resolves.toBe(4);
    const described = await locks.inspector.describe('fairLock', NAME);
    const line = { order: 'turns', places: [{ count: 3 }, { count: 1 }] };
    expect(described).toMatchObject({ waiters: { count: 4 }, line });

    await hold.release();
    await Promise.all(all);
    expect(served).toEqual(['one', 'two', 'three', 'four']);
    expect(fences.map((fence) => fence - fences[0]!).slice(0, 3)).toEqual([0n, 1n, 2n]);
    expect(fences[3]).toBeGreaterThan(fences[2]!);
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: do not hand on what was taken away while one of them worked',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
      await using others = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
      const [first, second] = [locks.fairLock(NAME).acquire(), locks.fairLock(NAME).acquire()];
      const hold = await first;
      const waiting = others.fairLock(NAME).acquire();
      await inLine(server, 1);
      await passed(LONG_SECTION_MS);
      await expect(others.fairLock(NAME).forceRelease()).resolves.toBe(true);
      const other = await waiting;
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      // It stands in line again.
      await inLine(server, 1);
      other.throwIfLost();
      await other.release();
      const next = await second;
      expect(next.fence).toBeGreaterThan(other.fence);
      await next.release();
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: leave nothing behind when they give up', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
    await using others = await openLocks(client, server, { renewalLeaseMs: LONG_MS });
    const hold = await locks.fairLock(NAME).acquire();
    const stop = new AbortController();
    const going = [1, 2].map(() => others.fairLock(NAME).acquire({ signal: stop.signal }));
    await inLine(server, 2);
    stop.abort();
    await Promise.allSettled(going);
    await inLine(server);
    await expect(server.command('LLEN', `redisson_lock_queue:{${NAME}}`)).resolves.toBe(0);
    await hold.release();
    await expect(server.command('EXISTS', NAME)).resolves.toBe(0);
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: are passed over together when they have died, whether they wait or are in',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, { renewalLeaseMs: SHORT_MS });
      const hold = await locks.fairLock(NAME).acquire();
      const company = {
        client,
        place: { port: server.port },
        renewalLeaseMs: SHORT_MS,
        name: NAME,
        count: 3,
      };
      await using waiting = startProgram('company', company);
      await inLine(server, 3);
      const behind = locks.fairLock(NAME).acquire();
      await inLine(server, 3, 1);
      await waiting.kill();
      await hold.release();
      const next = await behind;

      await using inside = startProgram('company', company);
      await inLine(server, 3);
      await next.release();
      await inside.fact('in');
      await inside.kill();
      const last = await locks.fairLock(NAME).acquire();
      expect(last.fence).toBeGreaterThan(next.fence + 3n);
      await last.release();
    },
  );
});
