import { expect, test } from 'vitest';
import type { Synchronizers } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisReplication } from '../../fixtures/redis/redis-replication.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import { holdables } from './holdables.ts';
import { openLocks } from './open-locks.ts';
import { promoteReplica, startConfirmingReplicas } from './replicated.ts';

const usual = { commandTimeoutMs: 500 };
const name = 'ledger';
const token = `redisson_lock_token:{${name}}`;
const TOKENS = ['lock', 'fairLock', 'writeLock', 'semaphore', 'permitSemaphore'].map(
  (each) => `redisson_lock_token:{${each}}`,
);

type Fences = Readonly<Record<string, bigint>>;

/** Takes one of each and gives it back. */
async function fencesOf(locks: Synchronizers): Promise<Fences> {
  const fences: Record<string, bigint> = {};
  for (const { kind, acquire } of holdables(locks)) {
    await using hold = await acquire({ timeoutMs: 5000 });
    fences[kind] = hold.fence;
  }
  return fences;
}

/** The kinds whose fence is not higher than before. */
function notIncreased(before: Fences, after: Fences): readonly string[] {
  return Object.keys(before).filter((kind) => !((after[kind] ?? 0n) > (before[kind] ?? 0n)));
}

describeRedis('fences increase', () => {
  test.concurrent('over a restart that leaves nothing', async () => {
    await using server = await startRedisServer();
    await using locks = await openLocks('node-redis', server, usual);
    const before = await fencesOf(locks);

    await server.kill();
    await server.restart({ empty: true });

    expect(await server.command('DBSIZE')).toBe(0);
    const after = await waitFor('the server is there', () => fencesOf(locks));
    expect(notIncreased(before, after)).toEqual([]);
  });

  test.concurrent('over FLUSHALL', async () => {
    await using server = await startRedisServer();
    await using locks = await openLocks('ioredis', server, usual);
    const before = await fencesOf(locks);

    await server.command('FLUSHALL');

    expect(notIncreased(before, await fencesOf(locks))).toEqual([]);
  });

  test.concurrent('over eviction', async () => {
    await using server = await startRedisServer({ args: { 'maxmemory-policy': 'allkeys-lru' } });
    await using locks = await openLocks('node-redis', server, usual);
    const before = await fencesOf(locks);
    const remembering = [...TOKENS, 'holdfast_election:{election}'];
    expect(await server.command('EXISTS', ...remembering)).toBe(remembering.length);

    const { used_memory } = await server.info('memory');
    await server.command('CONFIG', 'SET', 'maxmemory', Number(used_memory) + 1_000_000);
    const filling = Buffer.alloc(10_000, 'x');
    for (let at = 0; (await server.command('EXISTS', ...remembering)) !== 0; at += 1) {
      await server.command('SET', `filling:${at}`, filling);
    }

    expect(notIncreased(before, await fencesOf(locks))).toEqual([]);
  });

  test.concurrent('over a failover that loses them', async () => {
    await using replication = await startRedisReplication();
    await using locks = await openLocks('node-redis', replication.master, usual);
    await replication.cutReplicas();
    const before = await fencesOf(locks);

    await replication.master.kill();
    const master = await promoteReplica(replication);

    expect(await master.command('EXISTS', ...TOKENS, 'holdfast_election:{election}')).toBe(0);
    await using after = await openLocks('node-redis', master, usual);
    expect(notIncreased(before, await fencesOf(after))).toEqual([]);
  });
});

describeRedis('a Java client that counts by itself', () => {
  test.concurrent('goes on from our fence while the key lives, and we from its', async () => {
    await using server = await startRedisServer();
    await using locks = await openLocks('node-redis', server, usual);
    const ours = await fenceOf(locks);
    const java = BigInt(String(await server.command('INCR', token)));
    expect(java).toBe(ours + 1n);

    // The clock has passed it by then: what must not happen is a fence that is not higher.
    expect(await fenceOf(locks)).toBeGreaterThan(java);
    await server.command('SET', token, String(java + 10n ** 12n), 'KEEPTTL');
    expect(await fenceOf(locks)).toBe(java + 10n ** 12n + 1n);
  });

  test.concurrent('starts again at 1 when our retention is over', async () => {
    await using server = await startRedisServer();
    const forgetful = { ...usual, renewalLeaseMs: 500, fenceRetentionMs: 1000 };
    await using brief = await openLocks('node-redis', server, forgetful);
    const ours = await fenceOf(brief);
    await waitFor('the token is gone', async () => (await server.command('EXISTS', token)) === 0);

    // Why names that are shared with Java's fenced lock need a retention without end.
    expect(await server.command('INCR', token)).toBe(1);
    expect(ours).toBeGreaterThan(1n);
  });

  test.concurrent('keeps a token without an end, and so does Holdfast then', async () => {
    await using server = await startRedisServer();
    await using brief = await openLocks('node-redis', server, { ...usual, fenceRetentionMs: 1000 });
    await server.command('INCR', token);
    await fenceOf(brief);
    expect(await server.command('PTTL', token)).toBe(-1);
  });
});

/**
 * No clock of a server can be set here. But all that a clock which was ahead leaves behind is a token that is ahead of
 * the time, so the old master is given one, after its replicas were cut: to its replicas it is then a master whose
 * clock was a minute ahead of theirs.
 */
describeRedis('a new master whose clock is behind', () => {
  const aheadUs = 60 * 1_000_000;

  test.concurrent('gives lower fences than the old one, if grants may be lost', async () => {
    await using replication = await startRedisReplication();
    await using locks = await openLocks('node-redis', replication.master, usual);
    await replication.cutReplicas();
    await setAhead(replication.master);
    const old = await locks.lock(name).acquire();

    await replication.master.kill();
    const master = await promoteReplica(replication);
    await using after = await openLocks('node-redis', master, usual);
    const fresh = await after.lock(name).acquire();

    // The limit of the fence: the wrong one of the two is refused.
    expect(fresh.fence).toBeLessThan(old.fence);
    using register = await FencedRegister.open(master.port);
    expect(await register.write(old.fence, 1)).toBe(true);
    expect(await register.write(fresh.fence, 2)).toBe(false);
  });

  test.concurrent('gives higher ones, if all replicas must confirm', async () => {
    await using replication = await startConfirmingReplicas();
    const replicas = { atLeast: 2, timeoutMs: 200 };
    await using locks = await openLocks('node-redis', replication.master, { ...usual, replicas });
    await setAhead(replication.master);
    const old = await locks.lock(name).acquire({ leaseMs: 1000 });

    await replication.master.kill();
    const master = await promoteReplica(replication);
    await using after = await openLocks('node-redis', master, usual);
    const fresh = await after.lock(name).acquire();

    expect(fresh.fence).toBeGreaterThan(old.fence);
    expect(fresh.fence).toBeGreaterThan(BigInt(Date.now() * 1000 + aheadUs / 2));
  });

  async function setAhead(server: RedisServer): Promise<void> {
    await server.command('SET', token, Date.now() * 1000 + aheadUs, 'PX', 600_000);
  }
});

async function fenceOf(locks: Synchronizers): Promise<bigint> {
  await using hold = await locks.lock(name).acquire({ timeoutMs: 5000 });
  return hold.fence;
}
