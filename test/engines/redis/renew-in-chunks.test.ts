import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Hold, Synchronizers } from '../../../src/index.ts';
import { openLocks, type Place } from '../../faults/redis/open-locks.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

vi.setConfig({ testTimeout: 60_000 });

/** More than two calls of 200. */
const MANY = 450;
/** The first and last of each call, and some between. */
const BROKEN: ReadonlySet<number> = new Set([0, 7, 199, 200, 201, 399, 400, 449]);
/** The first renewal is a third of it away, and the end far enough for a busy machine. */
const LEASE_MS = 9000;

type Take = (locks: Synchronizers, at: number) => Promise<Hold>;

/** By their tags they lie in five slots, and no two of a slot follow each other. */
const named = (kind: string, at: number): string => `${kind} {${at % 5}} ${at}`;

const KINDS: Readonly<Record<string, Take>> = {
  lock: (locks, at) => locks.lock(named('lock', at)).acquire(),
  'fair lock': (locks, at) => locks.fairLock(named('fair', at)).acquire(),
  // Reads and writes are renewed by one script, in one call.
  'read-write lock': (locks, at) => {
    const { read, write } = locks.readWriteLock(named('pair', at));
    return (at % 2 === 0 ? read : write).acquire();
  },
  'permit semaphore': (locks, at) => locks.permitSemaphore(named('permit', at), { permits: 1 }).acquire(),
};

// Hundreds of holds are renewed by few calls, in a cluster by one for each slot. Some of them are gone from the server: theirs
// are the only holders that are notified, whichever call and whichever place in it was theirs.
describeRedis('a renewal in several calls gives each hold its own outcome', () => {
  let server: RedisServer;
  let cluster: RedisCluster;
  beforeAll(async () => {
    server = await startRedisServer();
    cluster = await startRedisCluster({ replicasPerMaster: 0 });
  });
  afterAll(async () => {
    await server?.stop();
    await cluster?.stop();
  });

  const places: Readonly<Record<string, () => Place>> = {
    'one server': () => server,
    'a cluster': () => ({ cluster: cluster.nodes.map(({ port }) => port) }),
  };
  for (const [where, place] of Object.entries(places)) {
    describe(`on ${where}`, () => {
      test.each(Object.entries(KINDS))('%s', async (_kind, take) => {
        await using locks = await openLocks('ioredis', place(), { renewalLeaseMs: LEASE_MS });
        const lost = new Set<number>();
        const renewed = new Set<string>();
        locks.on('renew', ({ name, error }) => void (error === undefined && renewed.add(name)));
        await Promise.all(
          Array.from({ length: MANY }, async (_, at) => {
            const hold = await take(locks, at);
            hold.lost.addEventListener('abort', () => lost.add(at));
          }),
        );
        for (const node of where === 'one server' ? [server] : cluster.nodes) {
          const keys = (await node.command('KEYS', '*')) as string[];
          const broken = keys.filter((key) => BROKEN.has(Number(/\{\d\} (\d+)/.exec(key)?.[1])));
          for (const key of broken) await node.command('DEL', key);
        }
        await waitFor('the first is notified', () => lost.size > 0, LEASE_MS);
        await waitFor('all others are renewed', () => renewed.size >= MANY - BROKEN.size, LEASE_MS);
        await waitFor('all that are gone are notified', () => lost.size >= BROKEN.size, LEASE_MS);
        expect([...lost].toSorted((one, other) => one - other)).toStrictEqual([...BROKEN]);
      });
    });
  }
});
