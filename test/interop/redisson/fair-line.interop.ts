import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLocks } from '../../faults/redis/open-locks.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { startNode } from '../node-program.ts';
import { Redisson } from './redisson.ts';

const WAIT_MS = 1500;
const DEAD = 3;
/** How long the line stands before its waiters die, in waits. */
const AGE = 4;
/** For a client that comes in late because the machine is busy: much less than the age of the line. */
const GRACE_MS = 2000;

/**
 * No program takes off for Java what a dead waiter had added. If that grew with the age of the line, Java would wait
 * (AGE + 1) times as long for each but the first.
 */
describeJava('a fair lock that was busy for long, whose first waiters are of Node and die', () => {
  let server: RedisServer;
  let redisson: Redisson;
  beforeAll(async () => {
    server = await startRedisServer();
    const settings = { lockWatchdogTimeout: WAIT_MS, fairLockWaitTimeout: WAIT_MS * DEAD * 10 };
    redisson = await Redisson.start('redisson-4', { port: server.port }, [settings]);
  });
  afterAll(async () => {
    await redisson?.kill();
    await server?.stop();
  });

  /** How long Java waits for a lock that is free, behind waiters that are dead. */
  async function javaWaitsMs(name: string, { withLiveNode }: { withLiveNode: boolean }): Promise<number> {
    const place = { port: server.port };
    const inLine = async () => Number(await server.command('LLEN', `redisson_lock_queue:{${name}}`));
    await using locks = await openLocks('node-redis', place, {
      renewalLeaseMs: WAIT_MS,
      fairLockWaitMs: WAIT_MS * DEAD * 10,
    });
    const hold = await locks.fairLock(name).acquire();
    await using dying = startNode('waiters', {
      client: 'ioredis',
      place,
      renewalLeaseMs: WAIT_MS,
      name,
      waiters: DEAD,
    });
    await waitFor('they stand in line', async () => (await inLine()) === DEAD);
    await sleep(AGE * WAIT_MS);
    const java = redisson.thread();
    const acquiring = java.call('fairLock', name, 'lock');
    await waitFor('Java stands behind them', async () => (await inLine()) === DEAD + 1);
    const behind = withLiveNode ? locks.fairLock(name).acquire() : undefined;
    if (withLiveNode) await waitFor('Node stands behind Java', async () => (await inLine()) === DEAD + 2);
    await dying.kill();
    const freeSince = performance.now();
    await hold.release();
    await acquiring;
    const waitedMs = performance.now() - freeSince;
    await java.call('fairLock', name, 'unlock');
    await (await behind)?.release();
    return waitedMs;
  }

  test.concurrent('Java alone passes over them in one wait for each', async () => {
    expect(await javaWaitsMs('alone', { withLiveNode: false })).toBeLessThan(DEAD * WAIT_MS + GRACE_MS);
  });

  test.concurrent('with one of Node in line, in one wait for all of them', async () => {
    expect(await javaWaitsMs('together', { withLiveNode: true })).toBeLessThan(WAIT_MS + GRACE_MS);
  });
});
