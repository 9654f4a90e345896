import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Hold } from '../../../src/index.ts';
import { openLocks } from '../../faults/redis/open-locks.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { MS, Redisson, type RedissonVersion } from './redisson.ts';

const VERSIONS: readonly RedissonVersion[] = ['redisson-4', 'redisson-3'];
/** How the Java reader goes that has cut the time of the lock. */
const ENDS = ['is killed', 'unlocks'] as const;
const KINDS = [
  ['renewed', {}],
  ['with a lease of 40 s', { leaseMs: 40_000 }],
] as const;
const SCHEDULES = VERSIONS.flatMap((version) =>
  KINDS.flatMap(([kind, options]) => ENDS.map((end) => ({ version, kind, options, end }))),
);

/**
 * The watchdog of a Java reader sets the time of the whole hash to `lockWatchdogTimeout`; that of 3.52 does the same to
 * the key of every other read hold. When the Java reader is gone, the hash ends that soon, with our reader in it.
 */
describeJava.concurrent('a reader in Node beside a reader in Java', { timeout: 120_000 }, () => {
  let server: RedisServer;
  let writers: Redisson;
  beforeAll(async () => {
    server = await startRedisServer();
    writers = await Redisson.start('redisson-4', { port: server.port });
  });
  afterAll(async () => {
    await writers?.kill();
    await server?.stop();
  });

  /** A Java thread reads until its watchdog has come round and cut the time of the lock; then it goes. */
  async function readInJava(
    java: Redisson,
    name: string,
    watchdogMs: number,
    end: (typeof ENDS)[number],
  ): Promise<void> {
    const thread = java.thread();
    await thread.call('readLock', name, 'lock');
    await waitFor('the watchdog of Java cuts the time of the lock', async () => {
      return Number(await server.command('PTTL', name)) <= watchdogMs;
    });
    if (end === 'is killed') await java.kill();
    else await thread.call('readLock', name, 'unlock');
  }

  /** Whether a writer of either side is in for as long as the hash had when Java went, and a second longer. */
  async function writersIn(name: string, watchdogMs: number): Promise<readonly boolean[]> {
    const waitMs = watchdogMs + 1000;
    await using other = await openLocks('ioredis', { port: server.port });
    const node = other.readWriteLock(name).write.tryAcquire({ timeoutMs: waitMs });
    const java = writers.thread().call('writeLock', name, 'tryLock', waitMs, MS);
    return [(await node) !== null, (await java) === true];
  }

  // Node looks after its hold every 2 s, a third of 6 s: before a hash that Java has cut to 5 s can end.
  const [watchdogMs, renewalLeaseMs] = [5000, 6000];
  test.for(SCHEDULES)('$version, $kind: keeps its hold when Java $end', async (schedule) => {
    const { version, kind, options, end } = schedule;
    const name = `kept ${version} ${kind} ${end}`;
    const place = { port: server.port };
    await using locks = await openLocks('node-redis', place, { renewalLeaseMs });
    await using java = await Redisson.start(version, place, [{ lockWatchdogTimeout: watchdogMs }]);
    const hold = await locks.readWriteLock(name).read.acquire(options);
    await readInJava(java, name, watchdogMs, end);
    expect(await writersIn(name, watchdogMs)).toEqual([false, false]);
    expect(hold.lost.aborted).toBe(false);
    await hold.release();
    await (await locks.readWriteLock(name).write.acquire({ timeoutMs: 20_000 })).release();
  });

  // The hash ends long before Node looks after its hold for the first time, at 10 s.
  test.for(VERSIONS)('%s: knows of its loss before a writer in Node is in', async (version) => {
    const name = `told ${version}`;
    const place = { port: server.port };
    await using locks = await openLocks('node-redis', place);
    await using other = await openLocks('ioredis', place);
    await using java = await Redisson.start(version, place, [{ lockWatchdogTimeout: 1500 }]);
    const hold: Hold = await locks.readWriteLock(name).read.acquire();
    await readInJava(java, name, 1500, 'is killed');
    await waitFor('the hash has ended', async () => (await server.command('EXISTS', name)) === 0);
    expect(hold.lost.aborted).toBe(false);
    const written = await other.readWriteLock(name).write.acquire({ timeoutMs: 40_000 });
    expect(hold.lost.aborted).toBe(true);
    await written.release();
  });
});
