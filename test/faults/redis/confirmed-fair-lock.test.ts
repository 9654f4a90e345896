import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisReplication } from '../../fixtures/redis/redis-replication.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const NAME = 'till';

describeRedis('who waits for a fair lock that replicas have to confirm', () => {
  test.each(CLIENT_NAMES)('%s: asks itself, and is never handed the lock off', async (client) => {
    await using replication = await startRedisReplication({ replicas: 1 });
    const server = replication.master;
    const places = async (): Promise<string[]> =>
      (await server.command('HVALS', `holdfast_lock_wait:{${NAME}}`)) as string[];
    const replicas = { atLeast: 1, timeoutMs: 1000 };
    await using locks = await openLocks(client, server, { replicas });
    const hold = await locks.fairLock(NAME).acquire();
    const waiting = locks.fairLock(NAME).acquire();
    await waitFor('it stands in line', async () => (await places()).length === 1);
    await expect(places()).resolves.toEqual([expect.stringMatching(/ 0 0 1$/)]);
    await hold.release();
    const next = await waiting;
    expect(next.fence).toBeGreaterThan(hold.fence);
    await next.release();
    await expect(places()).resolves.toEqual([]);
  });
});
