import { expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { Hold, LeaseLostError } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { holdables } from './holdables.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

/** A third of it is longer than any test: a holder that learns of its loss does not owe it to the usual renewal. */
const settings = { renewalLeaseMs: 300_000, commandTimeoutMs: 10_000 };
const HOLDS = 300;
/** Less than was asked for, so that a renewal would be seen. */
const LEFT_MS = 200_000;

/** One of each kind, renewed, and one with a lease of its own. */
async function holdAll(locks: RedisSynchronizers): Promise<readonly Hold[]> {
  const renewed = await Promise.all(holdables(locks).map(({ acquire }) => acquire()));
  return [...renewed, await locks.lock('leased').acquire({ leaseMs: settings.renewalLeaseMs })];
}

/**
 * A question about the holds that was on its way to a server which then went is given up after twice `commandTimeoutMs`, and
 * asked again.
 */
const ASKED_AGAIN_MS = 3 * settings.commandTimeoutMs;

/** Why each of them was lost, once all were. */
async function lossesOf(holds: readonly Hold[]): Promise<unknown> {
  await waitFor('every holder is notified', () => holds.every(({ lost }) => lost.aborted), ASKED_AGAIN_MS);
  return holds.map(({ lost }) => (lost.reason as LeaseLostError).reason);
}

describeRedis(
  'holders whose server forgot them lose their holds as soon as they reach it',
  { timeout: 90_000 },
  () => {
    test.concurrent.each(CLIENT_NAMES)('%s: a restart without data', async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, settings);
      const holds = await holdAll(locks);
      await server.kill();
      await server.restart({ empty: true });
      expect(await lossesOf(holds)).toEqual(holds.map(() => 'gone'));
    });

    test.concurrent.each(CLIENT_NAMES)(
      '%s: a restart with all data loses nothing, and takes one call for 200 holds of a kind',
      async (client) => {
        // Written before it is answered, and a process that is killed takes no page of the kernel along: no fsync is needed.
        await using server = await startRedisServer({ args: { appendonly: 'yes', appendfsync: 'no' } });
        await using locks = await openLocks(client, server, settings);
        const names = Array.from({ length: HOLDS }, (_, at) => `lock ${at}`);
        const holds = await Promise.all(names.map((name) => locks.lock(name).acquire()));
        const leased = await locks.lock('leased').acquire({ leaseMs: settings.renewalLeaseMs });
        await server.command('PEXPIRE', 'leased', LEFT_MS);
        let renewals = 0;
        locks.on('renew', ({ error }) => {
          if (error === undefined) renewals++;
        });
        await server.kill();
        await server.restart();
        await waitFor('every renewed hold is renewed', () => renewals === HOLDS);
        const sent = await server.info('commandstats');
        const scripts = ['evalsha', 'eval'].map((word) =>
          Number(/calls=(\d+)/.exec(sent[`cmdstat_${word}`] ?? '')?.[1] ?? 0),
        );
        expect(Math.max(...scripts)).toBeLessThan(10);
        for (const hold of [...holds, leased]) hold.throwIfLost();
        // It was asked about, and not made longer.
        expect(Number(await server.command('PTTL', 'leased'))).toBeLessThanOrEqual(LEFT_MS);
      },
    );

    test.concurrent.each(CLIENT_NAMES)('%s: a failover by Sentinels that lost the grants', async (client) => {
      await using topology = await startRedisSentinel();
      const { replication, masterName } = topology;
      const place = { sentinels: topology.sentinels.map(({ port }) => port), masterName };
      await using locks = await openLocks(client, place, settings);
      await locks.lock('warm').run(() => undefined);
      await replication.cutReplicas();
      const holds = await holdAll(locks);
      await replication.master.kill();
      replication.joinReplicas();
      await topology.waitForNewMaster(replication.master);
      expect(await lossesOf(holds)).toEqual(holds.map(() => 'gone'));
    });

    test.concurrent.each(CLIENT_NAMES)('%s: a failover of a cluster that lost the grants', async (client) => {
      await using cluster = await startRedisCluster();
      await using locks = await openLocks(
        client,
        { cluster: cluster.nodes.map(({ port }) => port) },
        settings,
      );
      const name = 'ledger';
      const master = await cluster.masterOf(name);
      const replica = await cluster.replicaOf(master);
      await locks.lock(name).run(() => undefined);
      // It gets nothing from now on, not even what waits in a socket, and is to take over all the same.
      await replica.pause();
      await master.command('CLIENT', 'KILL', 'TYPE', 'replica');
      const hold = await locks.lock(name).acquire();
      const elsewhere = await locks.lock('elsewhere').acquire();
      await master.kill();
      replica.resume();
      await waitFor('the replica takes over', async () => {
        await replica.command('CLUSTER', 'FAILOVER', 'TAKEOVER');
        return true;
      });
      expect(await lossesOf([hold])).toEqual(['gone']);
      if ((await cluster.masterOf('elsewhere')) !== replica) elsewhere.throwIfLost();
    });
  },
);
