import { afterAll, beforeAll, describe } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { clientKinds } from './client-kinds.ts';
import { driverCases } from './driver-cases.ts';

describeRedis('one server', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  describe.each(clientKinds)('by $name', (kind) => {
    driverCases({
      user: (options) => kind.single(server.port, options),
      servers: () => [server],
      masterOf: async () => server,
    });
  });
});
