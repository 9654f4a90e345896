import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { rediscover } from '../../../src/engines/redis/drivers/node-redis/node-redis-internals.ts';
import type { NodeRedisCluster } from '../../../src/engines/redis/drivers/node-redis/node-redis-shapes.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds } from './client-kinds.ts';
import { hears, listen, openDriver, started, writes } from './driver-bench.ts';

/** One that has only connections that it has needed: when it starts to doubt a server, that is the only one it knows. */
const thrifty = clientKinds
  .filter(({ name }) => name.startsWith('redis'))
  .map((kind) => ({
    name: `${kind.name}, few connections`,
    cluster: (ports: readonly number[]) => kind.cluster(ports, { minimizeConnections: true }),
  }));

describeRedis('a master of a cluster that stands still', { timeout: 60_000 }, () => {
  test('is left for the one that took its place, by commands and by messages', async () => {
    const cluster = await started(startRedisCluster());
    const ports = cluster.nodes.map(({ port }) => port);
    const key = randomUUID();
    const old = await cluster.masterOf(key);
    const parties = await Promise.all(
      [...clientKinds, ...thrifty].map(async (kind) => {
        const { driver } = await openDriver({ user: () => kind.cluster(ports) });
        const twin = await driver.duplicate();
        const ear = await listen(driver);
        await ear.subscribe('shard', key);
        for (const each of [driver, twin]) await waitFor('it writes', () => writes(each, key));
        expect(driver.nodeOf(key)).toBe(`127.0.0.1:${old.port}`);
        return { name: kind.name, driver, twin, ear };
      }),
    );

    // All connections to it stay open, and nothing on them ever says that it is no longer the master.
    await old.pause();
    const master = await cluster.waitForNewMaster(key, old);

    const publish = (word: string): Promise<unknown> => master.command('SPUBLISH', key, word);
    await Promise.all(
      parties.map(async ({ name, driver, twin, ear }) => {
        for (const each of [driver, twin]) {
          await waitFor(`${name} writes to the new master`, () => writes(each, key), 20_000);
          expect([name, each.nodeOf(key)]).toEqual([name, `127.0.0.1:${master.port}`]);
        }
        await waitFor(`${name} tells of the gap`, () => ear.gaps > 0, 20_000);
        await waitFor(`${name} hears the new master`, () => hears(ear, 1, publish));
        await twin.close();
      }),
    );
  });

  test.each(clientKinds.filter(({ name }) => name.startsWith('redis')))(
    'is left by messages when others have had the client look: $name',
    async (kind) => {
      const cluster = await started(startRedisCluster());
      const ports = cluster.nodes.map(({ port }) => port);
      const key = randomUUID();
      const { driver, user } = await openDriver({ user: () => kind.cluster(ports) });
      const ear = await listen(driver);
      await ear.subscribe('shard', key);
      const old = await cluster.masterOf(key);
      await old.pause();
      const master = await cluster.waitForNewMaster(key, old);

      // As after a command of the user's own that went astray.
      const own = user.client as NodeRedisCluster;
      await rediscover(own, own.masters.find(({ address }) => !address.endsWith(`:${old.port}`))?.client);
      const cutOff = ear.gaps;
      expect(await writes(driver, key)).toBe(true);

      await waitFor('the gap is reported', () => ear.gaps > cutOff);
      const publish = (word: string): Promise<unknown> => master.command('SPUBLISH', key, word);
      await waitFor('the new master is heard', () => hears(ear, 1, publish));
    },
  );
});
