import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { CommandOutcome, RedisDriver } from '../../../src/engines/redis/driver.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisReplication } from '../../fixtures/redis/redis-replication.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { clientKinds, plainKinds } from './client-kinds.ts';
import { connectionsTo, openDriver, started } from './driver-bench.ts';
import { evaluate } from './driver-cases.ts';

const write = (key: string): string[] => evaluate("return redis.call('SET', KEYS[1], 'held')", key);

describeRedis('a write that is sent together with a WAIT', () => {
  test.each(clientKinds)('is never confirmed on another connection than its own: $name', async (kind) => {
    const replication = await started(startRedisReplication({ replicas: 1 }));
    const { master } = replication;
    const { driver } = await openDriver({ user: () => kind.single(master.port) });
    await replication.replicas[0]!.pause();
    expect(await breakWhileWaiting(driver, master)).toHaveProperty('error');
  });

  test('is never confirmed on another connection by a sentinel either', { timeout: 60_000 }, async () => {
    const topology = await started(startRedisSentinel({ replicas: 1, downAfterMs: 60_000 }));
    const { master, replicas } = topology.replication;
    await replicas[0]!.pause();
    for (const kind of plainKinds) {
      const ports = topology.sentinels.map(({ port }) => port);
      const { driver, user } = await openDriver({ user: () => kind.sentinel(ports, topology.masterName) });
      expect([kind.name, await breakWhileWaiting(driver, master)]).toEqual([
        kind.name,
        { error: expect.any(Error) },
      ]);
      await user.close();
    }
  });
});

/**
 * The write is answered and its WAIT is not when the connection breaks. Sent again on the next one it would speak of what
 * was written there, and after a failover of what another server has.
 */
async function breakWhileWaiting(
  driver: RedisDriver,
  master: RedisServer,
): Promise<CommandOutcome | undefined> {
  const key = randomUUID();
  await driver.send(key, ['PING']);
  const together = driver.sendTogether(key, [write(key), ['WAIT', '1', '0']]);
  await waitFor('it waits for the replica', async () =>
    (await connectionsTo(master)).some((line) => / flags=b/.test(line) || / cmd=wait /.test(line)),
  );
  await master.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const [, confirmed] = await together;
  return confirmed;
}
