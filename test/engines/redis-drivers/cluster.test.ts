import { afterAll, beforeAll, describe } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisCluster, startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { clientKinds } from './client-kinds.ts';
import { driverCases } from './driver-cases.ts';

describeRedis('a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster({ nodeTimeoutMs: 60_000 });
  });
  afterAll(() => cluster.stop());

  describe.each(clientKinds)('by $name', (kind) => {
    driverCases({
      user: (options) =>
        kind.cluster(
          cluster.nodes.map(({ port }) => port),
          options,
        ),
      servers: () => cluster.nodes,
      masterOf: (key) => cluster.masterOf(key),
    });
  });
});
