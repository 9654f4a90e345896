import { afterAll, beforeAll, expect, test } from 'vitest';
import { redis, type RedisSynchronizers } from '../../src/engines/redis/index.ts';
import { clientKinds, type UserClient } from '../engines/redis-drivers/client-kinds.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisCluster, startRedisCluster } from '../fixtures/redis/redis-cluster.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { JavaRegistry } from './java-registry.ts';

let cluster: RedisCluster;
let user: UserClient;
let locks: RedisSynchronizers;

describeRedis('a Spring lock in a cluster', () => {
  beforeAll(async () => {
    cluster = await startRedisCluster({ replicasPerMaster: 0 });
    user = await clientKinds[0]!.cluster(cluster.nodes.map(({ port }) => port));
    locks = redis({ client: user.client });
  }, 60_000);
  afterAll(async () => {
    await locks.close();
    await user.close();
    await cluster.stop();
  });

  test('its keys and its channel must lie in one slot', async () => {
    const refused = {
      name: 'RangeError',
      code: 'BAD_ARGUMENT',
      message: expect.stringMatching(/one well-formed \{tag\}/),
    };
    expect(() => locks.springLock('told', 'orders', { type: 'pubSub' })).toThrow(
      expect.objectContaining(refused),
    );
    expect(() => locks.springLock('asked', 'a}b', { type: 'spin' })).toThrow(
      expect.objectContaining(refused),
    );
    expect(() => locks.springLock('asked', 'a{}b', { type: 'spin' })).toThrow(
      expect.objectContaining(refused),
    );
    await locks.springLock('asked', 'orders', { type: 'spin' }).run(() => undefined);
    await locks.springLock('told', '{orders}', { type: 'pubSub' }).run(() => undefined);
  });

  test.each(['spin', 'pubSub'] as const)('%s: Java and we keep each other out', async (type) => {
    const registryKey = `shared-${type}`;
    for (let round = 0; round < 5; round++) {
      // On one server after the other; our own subscription is on some server of the three.
      const lockKey = `{orders-${round}}`;
      const lock = locks.springLock(registryKey, lockKey, { type });
      const java = new JavaRegistry(await cluster.masterOf(`${registryKey}:${lockKey}`), registryKey);
      const hold = await lock.acquire();
      expect(await java.tryLock(lockKey)).toBe(false);
      await hold.release();
      expect(await java.tryLock(lockKey, 600_000)).toBe(true);
      const acquiring = lock.acquire({ timeoutMs: 8000 });
      await waitFor('a client waits', async () => (await lock.waiters()) > 0);
      await (type === 'spin' ? java.unlock(lockKey) : java.unlockAndTell(lockKey));
      await (await acquiring).release();
    }
  });
});
