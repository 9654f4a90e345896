import { afterAll, beforeAll, describe } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisSentinel, startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { plainKinds } from './client-kinds.ts';
import { driverCases } from './driver-cases.ts';

describeRedis('a master named by sentinels', () => {
  let topology: RedisSentinel;
  beforeAll(async () => {
    topology = await startRedisSentinel({ replicas: 1, downAfterMs: 60_000 });
  });
  afterAll(() => topology.stop());

  describe.each(plainKinds)('by $name', (kind) => {
    driverCases({
      user: () =>
        kind.sentinel(
          topology.sentinels.map(({ port }) => port),
          topology.masterName,
        ),
      servers: () => topology.servers,
      masterOf: () => topology.masterServer(),
    });
  });
});
