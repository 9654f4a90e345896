import { expect, test } from 'vitest';
import type { Synchronizers } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisReplication, waitLinked } from '../../fixtures/redis/redis-replication.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import { holdables } from './holdables.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';
import { startConfirmingReplicas } from './replicated.ts';

const usual = { renewalLeaseMs: 30_000, commandTimeoutMs: 3000 };
const name = 'ledger';
const token = `redisson_lock_token:{${name}}`;
/** So many of one process wait for the lock when it is granted, and the grant reserves a fence for each of them. */
const WAITERS = 4;

/**
 * The master goes on, and one client still reaches it; for every other client the first replica has taken its place. The
 * second follows the new one, or has stayed with the old one.
 */
async function divide(
  { master, replicas }: RedisReplication,
  second: 'follows' | 'stays',
): Promise<RedisServer> {
  const [promoted, other] = replicas as [RedisServer, RedisServer];
  await promoted.command('REPLICAOF', 'NO', 'ONE');
  if (second === 'follows') {
    await other.command('REPLICAOF', '127.0.0.1', promoted.port);
    await waitLinked(other, promoted);
  }
  const attached = second === 'stays' ? 1 : 0;
  await waitFor('the old master knows who has left it', async () => {
    return Number((await master.info('replication'))['connected_slaves']) === attached;
  });
  return promoted;
}

/**
 * Both masters count on from the same number. On two machines it is the same microsecond; it cannot be had on purpose,
 * so here it is a last fence that both know and that is ahead of both clocks, as a clock that was set back leaves it.
 */
async function meetInOneNumber({ master, replicas }: RedisReplication): Promise<void> {
  await master.command('SET', token, Date.now() * 1000 + 3600 * 1_000_000, 'PX', 600_000);
  await waitFor('the replicas have it', async () => {
    await master.command('SET', 'step', 1);
    return (await master.command('WAIT', replicas.length, 100)) === replicas.length;
  });
}

/** The fence of the one that holds, and of those who have waited in the same process and got it one after the other. */
async function fencesOfAll(locks: Synchronizers): Promise<readonly bigint[]> {
  const lock = locks.lock(name);
  const fences: bigint[] = [];
  const enter = (): Promise<void> => lock.run(({ fence }) => void fences.push(fence));
  await Promise.all(Array.from({ length: 1 + WAITERS }, enter));
  return fences;
}

describeRedis('two masters at the same time', { timeout: 60_000 }, () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: both grant, and no resource can tell their holders apart, if no replica has to confirm',
    async (client) => {
      await using replication = await startConfirmingReplicas();
      await meetInOneNumber(replication);
      const promoted = await divide(replication, 'follows');
      await using cutOff = await openLocks(client, replication.master, usual);
      await using others = await openLocks(client, promoted, usual);

      const one = await cutOff.lock(name).acquire();
      const other = await others.lock(name).acquire();

      // The limit of the fence: equal ones are not refused, and one of the two writes is lost.
      expect(other.fence).toBe(one.fence);
      await using resource = await startRedisServer();
      using register = await FencedRegister.open(resource.port);
      expect(await register.read(one.fence)).toBe(0);
      expect(await register.read(other.fence)).toBe(0);
      expect(await register.write(one.fence, 1)).toBe(true);
      expect(await register.write(other.fence, 1)).toBe(true);
      expect(await register.value()).toBe(1);
    },
  );

  test.concurrent('both reserve the same fences for those who wait with their holder', async () => {
    await using replication = await startConfirmingReplicas();
    await meetInOneNumber(replication);
    const promoted = await divide(replication, 'follows');
    await using cutOff = await openLocks('node-redis', replication.master, usual);
    await using others = await openLocks('ioredis', promoted, usual);

    const here = await fencesOfAll(cutOff);
    const there = await fencesOfAll(others);

    // Neither gives out one twice. That they overlap is not a matter of one microsecond, but of as many as are reserved.
    for (const fences of [here, there]) expect(new Set(fences).size).toBe(1 + WAITERS);
    expect(there.filter((fence) => here.includes(fence)).length).toBeGreaterThan(1);
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: both grant if one of two replicas has to confirm, and has stayed with the old one',
    async (client) => {
      await using replication = await startConfirmingReplicas();
      await meetInOneNumber(replication);
      const replicas = { atLeast: 1, timeoutMs: 1000 };
      const promoted = await divide(replication, 'stays');
      await using cutOff = await openLocks(client, replication.master, { ...usual, replicas });
      await using others = await openLocks(client, promoted, usual);

      const one = await cutOff.lock(name).acquire();
      const other = await others.lock(name).acquire();

      one.throwIfLost();
      expect(other.fence).toBe(one.fence);
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: the old one grants nothing if all replicas have to confirm, wherever they are',
    async (client) => {
      for (const second of ['follows', 'stays'] as const) {
        await using replication = await startConfirmingReplicas();
        await meetInOneNumber(replication);
        const replicas = { atLeast: replication.replicas.length, timeoutMs: 200 };
        const promoted = await divide(replication, second);
        await using cutOff = await openLocks(client, replication.master, { ...usual, replicas });
        await using others = await openLocks(client, promoted, usual);

        for (const { kind, acquire } of [
          ...holdables(cutOff),
          { kind: name, acquire: () => cutOff.lock(name).acquire() },
        ]) {
          const refusal = await acquire().then(
            () => 'granted',
            (error: unknown) => String(error),
          );
          expect([second, kind, refusal]).toEqual([
            second,
            kind,
            expect.stringMatching(/only [01] of 2 replicas confirmed/),
          ]);
        }

        const hold = await others.lock(name).acquire();
        hold.throwIfLost();
        expect(await replication.master.command('EXISTS', name)).toBe(0);
      }
    },
  );
});
