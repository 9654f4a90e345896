import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Subscriber, SubscriptionMode } from '../../../src/engines/redis/driver.ts';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { heapUsed } from '../../fixtures/heap-used.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { type ClientKind, clientKinds, plainKinds, type UserClient } from './client-kinds.ts';

const MODES: readonly SubscriptionMode[] = ['channel', 'pattern', 'shard'];
const CYCLES = 3000;
const AT_ONCE = 100;
/** A race with the end of the connection left 850 bytes for each cycle. What clients and runner keep is far less. */
const MOST_BYTES_EACH = 250;

/** One of each kind of server, with the clients that it is tried with: the protocol makes a difference to few. */
const topologies: Readonly<Record<string, () => Promise<Topology>>> = {
  single: async () => {
    const server = await startRedisServer();
    return { connect: (kind) => kind.single(server.port), stop: () => server.stop() };
  },
  sentinel: async () => {
    const servers = await startRedisSentinel();
    const ports = servers.sentinels.map(({ port }) => port);
    return { connect: (kind) => kind.sentinel(ports, servers.masterName), stop: () => servers.stop() };
  },
  cluster: async () => {
    const servers = await startRedisCluster();
    const ports = servers.nodes.map(({ port }) => port);
    return { connect: (kind) => kind.cluster(ports), stop: () => servers.stop() };
  },
};

interface Topology {
  connect(kind: ClientKind): Promise<UserClient>;
  stop(): Promise<void>;
}

describe.each(Object.entries(topologies))('%s', (name, start) => {
  describeRedis(
    'channels that come and go on one connection leave nothing behind',
    { timeout: 60_000 },
    () => {
      let topology: Topology;
      beforeAll(async () => {
        topology = await start();
      });
      afterAll(() => topology.stop());

      test.each(name === 'single' ? clientKinds : plainKinds)('$name', async (kind) => {
        const user = await topology.connect(kind);
        const driver = driverFor(user.client);
        const subscriber = await driver.openSubscriber({ message: () => undefined, gap: () => undefined });
        onTestFinished(async () => {
          await driver.close();
          await user.close();
        });
        // Stays, as the channel of a lock that is always wanted: the connection lives on.
        await subscriber.subscribe('channel', 'always');
        await comeAndGo(subscriber, 'first', CYCLES / 5);
        const before = await heapUsed();
        await comeAndGo(subscriber, 'then', CYCLES);
        const grown = (await heapUsed()) - before;
        expect(grown / CYCLES).toBeLessThan(MOST_BYTES_EACH);
      });
    },
  );
});

async function comeAndGo(subscriber: Subscriber, prefix: string, cycles: number): Promise<void> {
  for (let from = 0; from < cycles; from += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, async (_, at) => {
      const [mode, channel] = [MODES[at % MODES.length]!, `${prefix} ${from + at}`];
      await subscriber.subscribe(mode, channel);
      await subscriber.unsubscribe(mode, channel);
    });
    await Promise.all(batch);
  }
}
