import { expect, test } from 'vitest';
import { EngineError } from '../../../src/index.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import { holdables } from './holdables.ts';
import { lossOf } from './losses.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';
import { promoteReplica, startConfirmingReplicas } from './replicated.ts';

/** The lease is much longer than a failover takes: the client that gets in does not owe it to the end of a lease. */
const usual = { renewalLeaseMs: 30_000, commandTimeoutMs: 3000 };
const all = { atLeast: 2, timeoutMs: 100 };
const name = 'ledger';

/**
 * A grant that the master has given and no replica has: the master dies, and whichever replica takes over has never
 * heard of it.
 */
describeRedis('a grant that no replica has when its master dies', () => {
  test.concurrent(
    'is given again, the fence makes it harmless, and its holder learns of it at the reconnect',
    async () => {
      await using topology = await startRedisSentinel();
      const { replication, masterName } = topology;
      const place = { sentinels: topology.sentinels.map(({ port }) => port), masterName };
      await using nodeRedis = await openLocks('node-redis', place, usual);
      await using ioredis = await openLocks('ioredis', place, usual);

      await replication.cutReplicas();
      const first = await nodeRedis.lock(name).acquire();
      const second = await ioredis.lock(`other ${name}`).acquire();
      await replication.master.kill();
      replication.joinReplicas();
      await topology.waitForNewMaster(replication.master);

      for (const [mine, other, lockName] of [
        [first, ioredis, name],
        [second, nodeRedis, `other ${name}`],
      ] as const) {
        const theirs = await waitFor('the lock is given again', () => other.lock(lockName).tryAcquire());
        // Until the client of the first has found the new master both believe: this is what asynchronous replication costs.
        expect((await lossOf(mine)).reason).toMatchObject({ code: 'LEASE_LOST', reason: 'gone' });
        theirs.throwIfLost();
        await using resource = await startRedisServer();
        using register = await FencedRegister.open(resource.port);
        expect(theirs.fence).toBeGreaterThan(mine.fence);
        expect(await register.read(theirs.fence)).toBe(0);
        expect(await register.write(mine.fence, 1)).toBe(false);
        expect(await register.write(theirs.fence, 2)).toBe(true);
      }
    },
    30_000,
  );
});

describeRedis('replicas that must confirm', { timeout: 60_000 }, () => {
  test.concurrent.each(CLIENT_NAMES)('%s: a grant that all have survives the master', async (client) => {
    await using replication = await startConfirmingReplicas();
    await using one = await openLocks(client, replication.master, { ...usual, replicas: all });
    const first = await one.lock(name).acquire();

    await replication.master.kill();
    const master = await promoteReplica(replication);

    await using other = await openLocks(client, master, usual);
    expect(await other.lock(name).tryAcquire()).toBeNull();
    expect((await other.lock(name).holder())?.fence).toBe(first.fence);
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: a grant that they do not have is refused and undone',
    async (client) => {
      await using replication = await startConfirmingReplicas();
      await using one = await openLocks(client, replication.master, { ...usual, replicas: all });
      await one.lock('warm').run(() => undefined);
      await replication.cutReplicas();

      const barrier = one.barrier('barrier', { parties: 2 });
      const monitor = one.monitor('monitor', { initial: 0 });
      const attempts = [
        ...holdables(one).map(
          ({ acquire }) =>
            () =>
              acquire(),
        ),
        () => barrier.arrive(),
        () => monitor.run(() => undefined),
      ];
      for (const attempt of attempts) {
        const refusal = await attempt().catch((error: unknown) => error);
        expect(refusal).toBeInstanceOf(EngineError);
        expect(refusal).toMatchObject({
          code: 'ENGINE',
          retryable: true,
          message: expect.stringContaining('only 0 of 2 replicas confirmed'),
        });
      }
      for (const pool of [
        one.semaphore('pool', { permits: 3 }),
        one.bareSemaphore('bare pool', { permits: 3 }),
      ])
        await expect(pool.acquire()).rejects.toMatchObject({ code: 'ENGINE', retryable: true });

      // Nothing is held: the client that does not ask for confirmation gets in at once.
      await using other = await openLocks(client, replication.master, usual);
      for (const { acquire } of holdables(other)) await acquire({ timeoutMs: 5000 });
      await other.monitor('monitor', { initial: 0 }).run(() => undefined, { timeoutMs: 5000 });
      const parties = other.barrier('barrier', { parties: 2 });
      await waitFor('no client has arrived', async () => (await parties.waiting()) === 0);
      expect(await other.semaphore('pool', { permits: 3 }).available()).toBe(3);
      expect(await other.bareSemaphore('bare pool', { permits: 3 }).available()).toBe(3);
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: one that is missing is one too few', async (client) => {
    await using replication = await startConfirmingReplicas();
    const [first, second] = replication.replicas as [RedisServer, RedisServer];
    await replication.cutReplicas(first);
    await using one = await openLocks(client, replication.master, { ...usual, replicas: all });
    await expect(one.lock(name).acquire()).rejects.toThrow(/only 1 of 2 replicas confirmed/);
    const fewer = { ...usual, replicas: { ...all, atLeast: 1 } };
    await using easier = await openLocks(client, replication.master, fewer);
    const hold = await easier.lock(name).acquire();

    // That is why fewer than all of them do not close a failover: the wrong one may be promoted.
    await replication.master.kill();
    await second.kill();
    const master = await promoteReplica(replication);
    await using other = await openLocks(client, master, usual);
    const again = await other.lock(name).acquire();
    hold.throwIfLost();
    expect(again.fence).toBeGreaterThan(hold.fence);
  });

  test.concurrent('an unconfirmed renewal does not move the deadline of a hold', async () => {
    await using replication = await startConfirmingReplicas();
    const brief = { renewalLeaseMs: 1500, commandTimeoutMs: 400 };
    await using one = await openLocks('node-redis', replication.master, { ...brief, replicas: all });
    await using unconfirmed = await openLocks('node-redis', replication.master, brief);
    const renewals: unknown[] = [];
    one.on('renew', ({ error }) => renewals.push(error));
    const hold = await one.lock(name).acquire();
    const easy = await unconfirmed.lock('other').acquire();
    await waitFor('it was renewed', () => renewals.includes(undefined));
    const loss = lossOf(hold);

    const cutAtMs = performance.now();
    await replication.cutReplicas();

    // By its own stopwatch: the master goes on to renew it, as far as the master is concerned.
    const { reason, atMs } = await loss;
    expect(reason).toMatchObject({ code: 'LEASE_LOST', reason: 'expired' });
    expect(atMs - cutAtMs).toBeLessThan(brief.renewalLeaseMs + 10_000);
    expect(renewals.at(-1)).toMatchObject({ code: 'ENGINE', retryable: true });
    easy.throwIfLost();
  });
});

describeRedis('replicas that must confirm in a cluster', () => {
  test.concurrent(
    'are asked on the connection that has written: none is counted that has nothing',
    async () => {
      await using cluster = await startRedisCluster();
      const place = { cluster: cluster.nodes.map(({ port }) => port) };
      for (const client of CLIENT_NAMES) {
        await using locks = await openLocks(client, place, {
          ...usual,
          replicas: { atLeast: 1, timeoutMs: 50 },
        });
        const lock = locks.lock(name);
        await waitFor('the replica confirms', () => lock.run(() => true));
        const master = await cluster.masterOf(name);
        const replica = await cluster.replicaOf(master);
        await replica.pause();
        await master.command('CLIENT', 'KILL', 'TYPE', 'replica');

        // The other masters have replicas that are well, and would confirm a WAIT that came to them.
        for (let time = 0; time < 10; time += 1) {
          await expect(lock.acquire()).rejects.toThrow(/only 0 of 1 replicas confirmed/);
        }
        expect(await master.command('EXISTS', name)).toBe(0);
        replica.resume();
      }
    },
    30_000,
  );
});
