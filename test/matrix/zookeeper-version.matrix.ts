import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeZooKeeper } from '../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper } from '../fixtures/zookeeper/zookeeper-server.ts';

const pom = readFileSync(new URL('../fixtures/zookeeper/pom.xml', import.meta.url), 'utf8');

describeZooKeeper('the servers of this run', () => {
  test('are of the version that test/fixtures/zookeeper/pom.xml names, not of Debian', async () => {
    const [, named] = /<artifactId>zookeeper<\/artifactId>\s*<version>([\d.]+)</.exec(pom)!;
    await using server = await startZooKeeper();
    expect(await server.ask('srvr')).toMatch(new RegExp(`^Zookeeper version: ${named}-`));
  });
});
