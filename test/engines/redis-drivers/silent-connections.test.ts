import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { RedisDriver } from '../../../src/engines/redis/driver.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds } from './client-kinds.ts';
import { hears, listen, openDriver, started, writes } from './driver-bench.ts';

describeRedis('connections to the servers of a cluster that have gone silent', { timeout: 60_000 }, () => {
  test('are replaced, for commands and for messages', async () => {
    const cluster = await started(startRedisCluster());
    // Each server behind a network that can forget connections; the clients get the way around their addresses.
    const ways: Record<string, { readonly host: string; readonly port: number }> = {};
    const proxies = await Promise.all(
      cluster.nodes.map(async (node) => {
        const proxy = await startTcpProxy(node);
        ways[`127.0.0.1:${node.port}`] = { host: '127.0.0.1', port: proxy.port };
        return { node, proxy, stop: () => proxy.stop() };
      }),
    );
    const ports = cluster.nodes.map(({ port }) => port);
    const key = randomUUID();
    const parties = await Promise.all(
      clientKinds.map(async (kind) => {
        const user = () => kind.cluster(ports, { natMap: ways, nodeAddressMap: ways });
        const { driver } = await openDriver({ user });
        const ear = await listen(driver);
        await ear.subscribe('shard', key);
        expect(await writes(driver, key)).toBe(true);
        let told = 0;
        driver.onReconnect(() => (told += 1));
        return { name: kind.name, driver, ear, told: () => told };
      }),
    );
    const master = await cluster.masterOf(key);
    expect(proxies.find(({ node }) => node === master)?.proxy.silence()).toBeGreaterThan(parties.length);

    const publish = (word: string): Promise<unknown> => master.command('SPUBLISH', key, word);
    await expectRecovered(parties, key, publish);
    for (const { stop } of proxies) await stop();
  });
});

describeRedis(
  'connections to the master that sentinels name that have gone silent',
  { timeout: 60_000 },
  () => {
    test('are replaced, for commands and for messages', async () => {
      const topology = await started(startRedisSentinel({ replicas: 1, downAfterMs: 60_000 }));
      const master = await topology.masterServer();
      const proxy = await startTcpProxy(master);
      const ways = { [`127.0.0.1:${master.port}`]: { host: '127.0.0.1', port: proxy.port } };
      const ports = topology.sentinels.map(({ port }) => port);
      const key = randomUUID();
      const parties = await Promise.all(
        clientKinds.map(async (kind) => {
          const user = () =>
            kind.sentinel(ports, topology.masterName, { natMap: ways, nodeAddressMap: ways });
          const { driver } = await openDriver({ user });
          const ear = await listen(driver);
          await ear.subscribe('channel', key);
          await waitFor(`${kind.name} writes at first`, () => writes(driver, key));
          let told = 0;
          driver.onReconnect(() => (told += 1));
          return { name: kind.name, driver, ear, told: () => told };
        }),
      );
      expect(proxy.silence()).toBeGreaterThan(parties.length);

      const publish = (word: string): Promise<unknown> => master.command('PUBLISH', key, word);
      await expectRecovered(parties, key, publish);
      await proxy.stop();
    });
  },
);

interface Party {
  readonly name: string;
  readonly driver: RedisDriver;
  readonly ear: Awaited<ReturnType<typeof listen>>;
  readonly told: () => number;
}

/** Each driver writes again, tells of the reconnect and of the gap, and hears what is published; then they close. */
async function expectRecovered(
  parties: readonly Party[],
  key: string,
  publish: (word: string) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    parties.map(async ({ name, driver, ear, told }) => {
      await waitFor(`${name} writes`, () => writes(driver, key), 20_000);
      await waitFor(`${name} tells of the reconnect`, () => told() > 0, 20_000);
      await waitFor(`${name} tells of the gap`, () => ear.gaps > 0, 20_000);
      await waitFor(`${name} hears`, () => hears(ear, 1, publish));
    }),
  );
  for (const { driver } of parties) await driver.close();
}
