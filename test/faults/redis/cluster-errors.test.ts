import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { keySlot } from '../../fixtures/redis/key-slot.ts';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks, type Place } from './open-locks.ts';

describeRedis('a cluster that is changing', () => {
  let cluster: RedisCluster;
  let place: Place;
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicasPerMaster: 0 });
    place = { cluster: cluster.nodes.map(({ port }) => port) };
  });
  afterAll(() => cluster.stop());

  test.each(CLIENT_NAMES)('%s: a slot moves under those who hold and wait in it', async (client) => {
    await using locks = await openLocks(client, place, { renewalLeaseMs: 1200 });
    await using other = await openLocks(client, place, { renewalLeaseMs: 1200 });
    const name = `moving ${client}`;
    const fresh = `{${name}} fresh`;
    const renewals: unknown[] = [];
    locks.on('renew', ({ error }) => renewals.push(error));
    const hold = await locks.lock(name).acquire();
    const source = await cluster.masterOf(name);
    const target = cluster.nodes.find((node) => node !== source) as RedisServer;
    const migration = await cluster.beginMigration(name, target);

    // The lock has moved and its token has not: neither server can carry out what needs both, so that a client that asks is
    // to try again. A renewal needs only the lock: the source sends it to the target, each time anew.
    await migration.moveKeys(name);
    const asking = [locks.lock(fresh).acquire(), other.lock(name).acquire()] as const;
    await waitFor(
      'a client got the order to try again',
      async () => (await allErrors(cluster, 'TRYAGAIN')) > 0,
    );
    const before = renewals.length;
    await waitFor('it was renewed twice', () => renewals.slice(before).filter(isUndefined).length > 1);
    expect(await errors(source, 'ASK')).toBeGreaterThan(0);
    await migration.moveAllKeys();
    await migration.finish();

    // From here on the source answers that it has moved.
    const asked = await asking[0];
    hold.throwIfLost();
    await hold.release();
    const next = await asking[1];
    expect(next.fence).toBeGreaterThan(hold.fence);
    expect(await errors(source, 'MOVED')).toBeGreaterThan(0);
    await next.release();
    await asked.release();
    expect(await source.command('CLUSTER', 'COUNTKEYSINSLOT', keySlot(name))).toBe(0);
    expect(await target.command('EXISTS', name, fresh)).toBe(0);
  });

  test.each(CLIENT_NAMES)('%s: a slot without an owner for a while', async (client) => {
    const name = `orphan ${client}`;
    const slot = keySlot(name);
    await using locks = await openLocks(client, place, { commandTimeoutMs: 5000 });
    await using hasty = await openLocks(client, place, { commandTimeoutMs: 300 });
    const hold = await locks.lock(name).acquire();
    const owner = await cluster.masterOf(name);
    const id = String(await owner.command('CLUSTER', 'MYID'));
    await Promise.all(cluster.nodes.map((node) => node.command('CLUSTER', 'DELSLOTS', slot)));

    await expect(hasty.lock(name).tryAcquire()).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
    const releasing = hold.release();
    await waitFor('it was refused', async () => (await allErrors(cluster, 'CLUSTERDOWN')) > 0);
    await Promise.all(cluster.nodes.map((node) => node.command('CLUSTER', 'SETSLOT', slot, 'NODE', id)));

    await releasing;
    await waitFor('it is free', () => hasty.lock(name).run(() => true));
  });
});

function isUndefined(value: unknown): boolean {
  return value === undefined;
}

async function errors(server: RedisServer, code: string): Promise<number> {
  const info = await server.info('errorstats');
  return Number(/count=(\d+)/.exec(info[`errorstat_${code}`] ?? '')?.[1] ?? 0);
}

async function allErrors({ nodes }: RedisCluster, code: string): Promise<number> {
  const counts = await Promise.all(nodes.map((node) => errors(node, code)));
  return counts.reduce((sum, count) => sum + count, 0);
}
