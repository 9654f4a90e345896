import { expect, test } from 'vitest';
import { openLocks } from '../../faults/redis/open-locks.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { emptyAfterAnnouncement } from '../after-announcement.ts';
import { DocumentedDumps } from '../documented-dumps.ts';
import { describeJava } from '../java-build.ts';
import { Spring, type SpringVersion } from './spring.ts';

const page = new DocumentedDumps('spring.md');
const registryKey = 'billing';
const lockKey = 'orders';
const settings = { registryKey, type: 'pubSub', expireAfter: 60_000, renewed: false } as const;
const VERSIONS: readonly SpringVersion[] = ['spring-7', 'spring-6'];

describeJava('what docs/wire/spring.md shows', () => {
  test.each(VERSIONS)('%s', async (version) => {
    await using server = await startRedisServer();
    await using java = await Spring.start(version, { port: server.port }, [settings]);
    await using locks = await openLocks('node-redis', { port: server.port });
    await emptyAfterAnnouncement(locks, server);
    using heard = await server.subscribe({ pattern: '*' });
    const nextMessage = async (): Promise<string> => {
      const { channel, payload } = await heard.next();
      return `${channel}  ${payload}`;
    };
    const theirs = java.lock(settings, lockKey);
    const titles = {
      java: 'a lock that Java holds',
      toldByJava: `the message when ${version} lets go`,
      node: 'a lock that Node holds',
      toldByNode: 'the messages when Node lets go',
    };

    await theirs.lock();
    expect(await page.dumped(titles.java, server)).toBe(page.documented(titles.java));
    await theirs.unlock();
    const told = page.told(titles.toldByJava, [await nextMessage()]);
    expect(told).toBe(page.documented(titles.toldByJava));

    const hold = await locks.springLock(registryKey, lockKey, { type: 'pubSub' }).acquire();
    expect(await page.dumped(titles.node, server)).toBe(page.documented(titles.node));
    await hold.release();
    const both = [await nextMessage(), await nextMessage()].toSorted();
    expect(page.told(titles.toldByNode, both)).toBe(page.documented(titles.toldByNode));
  });
});
