import { afterAll, beforeAll, describe, test } from 'vitest';
import { lockSuite, type Skip } from '../../src/testing/index.ts';
import { clientKinds } from '../engines/redis-drivers/client-kinds.ts';
import { oneByOne, sideBySide } from '../engines/redis/side-by-side.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { SpringHarness } from './spring-harness.ts';

/** Each has some clients, and on two cores not many can be opened within a lease. */
const CASES_AT_ONCE = 30;

const skip: readonly Skip[] = [
  {
    reason: 'its name is that of the key in Redis, with the key of the registry before it; see spring-golden',
    tests: ['queries tell what any client can see', 'acquire with a time-out rejects when it is over'],
  },
];

describeRedis.each(['spin', 'pubSub'] as const)('a Spring lock of the type %s', (type) => {
  let server: RedisServer;
  const harness = new SpringHarness(() => clientKinds[0]!.single(server.port), type);

  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(async () => {
    await harness.bury();
    await server.stop();
  });

  lockSuite({ ...sideBySide(describe, test, CASES_AT_ONCE), harness, skip });
  lockSuite({ ...oneByOne(test), harness, skip });
});
