import { randomUUID } from 'node:crypto';
import * as ioredis from 'ioredis';
import * as nodeRedis from 'redis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { UncaughtErrors } from '../../fixtures/uncaught-errors.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type ClientKind, plainKinds, type UserClient } from './client-kinds.ts';
import { openDriver, started, writes } from './driver-bench.ts';

/** The class of the connections of a kind of client, on which `duplicate` is defined. */
const connectionClasses: Readonly<Record<string, object>> = {
  'redis 6, RESP3': nodeRedis.createClient(),
  'ioredis 6, RESP3': new ioredis.Redis({ lazyConnect: true }),
};

/** From now on no connection can be made that is like another, as with options that a client refuses to copy. */
function failToDuplicate(kind: ClientKind): { readonly calls: () => number } {
  let owner: object | null = connectionClasses[kind.name] ?? null;
  while (owner !== null && !Object.hasOwn(owner, 'duplicate'))
    owner = Object.getPrototypeOf(owner) as object | null;
  if (owner === null) throw new Error(`${kind.name} has no duplicate()`);
  const spy = vi.spyOn(owner as { duplicate(): unknown }, 'duplicate').mockImplementation(() => {
    throw new TypeError('These options cannot be copied.');
  });
  onTestFinished(() => spy.mockRestore());
  return { calls: () => spy.mock.calls.length };
}

const topologies = {
  single: async (kind) => kind.single((await started(startRedisServer())).port),
  sentinel: async (kind) => {
    const { sentinels, masterName } = await started(startRedisSentinel({ replicas: 1 }));
    return kind.sentinel(
      sentinels.map(({ port }) => port),
      masterName,
    );
  },
  cluster: async (kind) => {
    const { nodes } = await started(startRedisCluster({ replicasPerMaster: 0 }));
    return kind.cluster(nodes.map(({ port }) => port));
  },
} satisfies Readonly<Record<string, (kind: ClientKind) => Promise<UserClient>>>;

type Topology = keyof typeof topologies;

// A server is suspected when a command is not answered in time. Nothing awaits the suspicion.
describeRedis('a client that cannot be duplicated', { timeout: 60_000 }, () => {
  const kinds = plainKinds.filter(({ name }) => Object.hasOwn(connectionClasses, name));
  test.each(
    kinds.flatMap((kind) =>
      (Object.keys(topologies) as Topology[]).map((topology) => ({ name: kind.name, kind, topology })),
    ),
  )('ends no process when its server is suspected: $name, $topology', async ({ kind, topology }) => {
    using uncaught = new UncaughtErrors();
    const { driver } = await openDriver({ user: () => topologies[topology](kind) });
    const key = randomUUID();
    await waitFor('the driver writes', () => writes(driver, key));
    const { calls } = failToDuplicate(kind);
    for (let suspicions = 1; suspicions <= 2; suspicions++) {
      // Each is an attempt of its own: the one before has ended, and left nothing in doubt.
      await waitFor('a connection is to be duplicated', () => {
        if (calls() < suspicions) driver.suspect?.(key, 0);
        return calls() >= suspicions;
      });
    }
    expect(await uncaught.soFar()).toStrictEqual([]);
    expect(await writes(driver, key)).toBe(true);
  });
});
