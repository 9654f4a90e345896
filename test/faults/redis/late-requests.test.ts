import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { holdables } from './holdables.ts';
import { loadScripts } from './load-scripts.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const commandTimeoutMs = 300;

describeRedis('a request that is delayed on its way', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: is granted to no owner when its sender has given up',
    async (client) => {
      await using server = await startRedisServer();
      await using proxy = await startTcpProxy(server);
      await using locks = await openLocks(client, proxy);
      await using other = await openLocks(client, server);
      await locks.lock('warm').run(() => undefined);
      const pool = locks.bareSemaphore('pool', { permits: 3 });

      proxy.toServer.hold();
      const given = [...holdables(locks), { acquire: pool.acquire.bind(pool) }];
      const asked = given.map(({ acquire }) => acquire({ timeoutMs: 100 }));
      for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
        expect(reason).toMatchObject({ code: 'ENGINE' });
      }
      proxy.toServer.pass();

      for (const { acquire } of holdables(other)) await acquire({ timeoutMs: 5000 });
      await waitFor('all permits are back', async () => (await available(server)) !== '2');
      expect(['3', null]).toContain(await available(server));
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: is refused by the server when it comes too late',
    async (client) => {
      await using server = await startRedisServer();
      await loadScripts(server);
      await using proxy = await startTcpProxy(server);
      await using locks = await openLocks(client, proxy, { commandTimeoutMs });
      await using other = await openLocks(client, server);
      const latch = locks.latch('latch');
      await latch.trySetCount(3);
      const pool = locks.bareSemaphore('pool', { permits: 3 });
      const taken = await pool.acquire();
      await locks.lock('warm').run(() => undefined);

      proxy.toServer.hold();
      const asked = [
        ...holdables(locks).map(({ acquire }) => acquire()),
        pool.acquire(),
        latch.countDown(),
        taken.release(),
      ];
      for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[]) {
        expect(reason).toMatchObject({ code: 'ENGINE', retryable: true });
      }
      const before = await calls(server);
      proxy.toServer.pass();
      await waitFor('the requests have arrived', async () => (await calls(server)) >= before + asked.length);

      for (const { acquire } of holdables(other)) await acquire({ timeoutMs: 5000 });
      // The count is as it was. The permit goes on being given back in the background: once, and it is there.
      expect(await server.command('GET', 'latch')).toBe('3');
      await waitFor('the permit is back', async () => (await available(server)) === '3');
      await locks.close();
      expect(await available(server)).toBe('3');
    },
  );
});

function available(server: RedisServer): Promise<unknown> {
  return server.command('GET', 'pool');
}

/** How many scripts the server has been asked to run. */
async function calls(server: RedisServer): Promise<number> {
  const { cmdstat_evalsha } = await server.info('commandstats');
  return Number(/calls=(\d+)/.exec(cmdstat_evalsha ?? '')?.[1] ?? 0);
}
