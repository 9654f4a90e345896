import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { openLocks } from '../../faults/redis/open-locks.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import type { RespSubscription } from '../../fixtures/redis/resp-subscription.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeJava } from '../java-build.ts';
import { emptyAfterAnnouncement } from '../after-announcement.ts';
import { DocumentedDumps } from '../documented-dumps.ts';
import { MS, Redisson, type RedissonThread } from './redisson.ts';

const page = new DocumentedDumps('redisson.md');
const name = 'orders';
const END = 'end';

describeJava('what docs/wire/redisson.md shows', () => {
  let server: RedisServer;
  let redisson: Redisson;
  let locks: RedisSynchronizers;
  let heard: RespSubscription;
  let java: RedissonThread;
  beforeAll(async () => {
    server = await startRedisServer();
    redisson = await Redisson.start('redisson-4', { port: server.port });
    locks = await openLocks('node-redis', { port: server.port });
    await emptyAfterAnnouncement(locks, server);
    heard = await server.subscribe({ pattern: '*' });
  });
  afterAll(async () => {
    heard?.close();
    await redisson?.kill();
    await locks?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
    await messages();
    java = redisson.thread();
  });

  const shown = (title: string): Promise<string> => page.dumped(title, server);
  /** What was published since the last time. */
  const messages = async (): Promise<readonly string[]> => {
    await server.command('PUBLISH', END, '');
    const lines: string[] = [];
    for (let one = await heard.next(); one.channel !== END; one = await heard.next())
      lines.push(`${one.channel}  ${one.payload}`);
    return lines;
  };
  const told = async (title: string): Promise<string> => page.told(title, await messages());

  test('a lock', async () => {
    await java.call('lock', name, 'lock');
    await java.call('lock', name, 'lock');
    expect(await shown('a lock that a Java thread has entered twice')).toBe(
      page.documented('a lock that a Java thread has entered twice'),
    );
    await java.call('lock', name, 'unlock');
    await java.call('lock', name, 'unlock');
    expect(await told('the messages when Java lets go of a lock')).toBe(
      page.documented('the messages when Java lets go of a lock'),
    );
    await waitFor('Java has cleaned up', async () => (await server.command('DBSIZE')) === 0);
    const hold = await locks.lock(name).acquire();
    expect(await shown('a lock that Node holds')).toBe(page.documented('a lock that Node holds'));
    const other = java.call('lock', name, 'lock');
    await waitFor('Java waits', async () => {
      const [, count] = (await server.command('PUBSUB', 'NUMSUB', `redisson_lock__channel:{${name}}`)) as [
        string,
        number,
      ];
      return count > 0;
    });
    await hold.release();
    await other;
    expect(await told('the messages when Node lets go of a lock')).toBe(
      page.documented('the messages when Node lets go of a lock'),
    );
  });

  test('a fenced lock', async () => {
    expect(await java.call('fencedLock', name, 'lockAndGetToken')).toBe(1);
    expect(await shown('a fenced lock that Java holds')).toBe(
      page.documented('a fenced lock that Java holds'),
    );
    await java.call('fencedLock', name, 'unlock');
    await locks.lock(name).acquire();
    await waitFor('Java has cleaned up', async () => (await server.command('DBSIZE')) === 2);
    expect(await shown('a fenced lock that Node holds after Java')).toBe(
      page.documented('a fenced lock that Node holds after Java'),
    );
    await locks.lock(name).forceRelease();
  });

  test('a fair lock', async () => {
    await java.call('fairLock', name, 'lock');
    const inLine = async (count: number): Promise<void> => {
      await waitFor('it stands in line', async () => {
        return (await server.command('LLEN', `redisson_lock_queue:{${name}}`)) === count;
      });
    };
    const [second, third] = [redisson.thread(), redisson.thread()];
    const entering = [second.call('fairLock', name, 'lock')];
    await inLine(1);
    entering.push(locks.fairLock(name).acquire());
    await inLine(2);
    entering.push(third.call('fairLock', name, 'tryLock', 60_000, MS));
    await inLine(3);
    expect(await shown('a fair lock that Java holds, with Java, Node and Java in line')).toBe(
      page.documented('a fair lock that Java holds, with Java, Node and Java in line'),
    );
    await messages();
    await java.call('fairLock', name, 'unlock');
    await entering[0];
    expect(await told('the message when a fair lock is let go')).toBe(
      page.documented('the message when a fair lock is let go'),
    );
    await second.call('fairLock', name, 'unlock');
    await ((await entering[1]) as { release(): Promise<void> }).release();
    await entering[2];
    await third.call('fairLock', name, 'unlock');
  });

  test('a read-write lock', async () => {
    const { read, write } = locks.readWriteLock(name);
    await java.call('readLock', name, 'lock');
    const reading = await read.acquire();
    expect(await shown('a read-write lock that Java and Node read')).toBe(
      page.documented('a read-write lock that Java and Node read'),
    );
    await reading.release();
    await java.call('readLock', name, 'unlock');
    expect(await told('the message when the last reader leaves')).toBe(
      page.documented('the message when the last reader leaves'),
    );
    await server.command('FLUSHALL');
    await java.call('writeLock', name, 'lock');
    await java.call('readLock', name, 'lock');
    expect(await shown('a read-write lock that Java writes and reads')).toBe(
      page.documented('a read-write lock that Java writes and reads'),
    );
    await server.command('FLUSHALL');
    const writing = await write.acquire();
    expect(await shown('a read-write lock that Node writes')).toBe(
      page.documented('a read-write lock that Node writes'),
    );
    await messages();
    await writing.release();
    expect(await told('the message when a writer leaves')).toBe(
      page.documented('the message when a writer leaves'),
    );
  });

  test('a bare semaphore', async () => {
    await java.call('semaphore', name, 'trySetPermits', 5);
    await locks.bareSemaphore(name, { permits: 5 }).acquire({ permits: 2 });
    await java.call('semaphore', name, 'acquire');
    expect(await shown('a bare semaphore of five permits, of which Node has taken two and Java one')).toBe(
      page.documented('a bare semaphore of five permits, of which Node has taken two and Java one'),
    );
    await messages();
    await java.call('semaphore', name, 'release');
    expect(await told('the message when a bare permit comes back')).toBe(
      page.documented('the message when a bare permit comes back'),
    );
  });

  test('a semaphore', async () => {
    await java.call('permitSemaphore', name, 'trySetPermits', 5);
    await java.call('permitSemaphore', name, 'acquire', 30_000, MS);
    const hold = await locks.semaphore(name, { permits: 5 }).acquire({ permits: 2, leaseMs: 60_000 });
    await java.call('permitSemaphore', name, 'acquire');
    const title =
      'a semaphore: one permit of Java for 30 s, two of Node for a minute, one of Java without an end';
    expect(await shown(title)).toBe(page.documented(title));
    await messages();
    await hold.release();
    expect(await told('the message when permits come back')).toBe(
      page.documented('the message when permits come back'),
    );
  });

  test('a latch', async () => {
    const latch = locks.latch(name);
    await java.call('latch', name, 'trySetCount', 2);
    expect(await shown('a latch with the count 2')).toBe(page.documented('a latch with the count 2'));
    await latch.countDown();
    await java.call('latch', name, 'countDown');
    expect(await told('the messages of a latch, from its count to its end')).toBe(
      page.documented('the messages of a latch, from its count to its end'),
    );
  });
});
