import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { expect, test } from 'vitest';
import { redis } from '../../../src/engines/redis/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { holdables } from './holdables.ts';
import { lossOf } from './losses.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

const brief = { commandTimeoutMs: 300 };
const name = 'ledger';
const noAnswer = { code: 'ENGINE', retryable: true };

describeRedis('a server that does not answer', () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: frozen, it holds nothing without an owner when it wakes',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, brief);
      await using other = await openLocks(client, server);
      await locks.lock('warm').run(() => undefined);

      await server.pause();
      const asked = await Promise.allSettled(holdables(locks).map(({ acquire }) => acquire()));
      for (const one of asked) expect(one).toMatchObject({ status: 'rejected', reason: noAnswer });
      server.resume();

      for (const { acquire } of holdables(other)) await acquire({ timeoutMs: 5000 });
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: taking connections and never a word, it is given up',
    async (client) => {
      await using server = await startRedisServer();
      await using proxy = await startTcpProxy(server);
      await using locks = await openLocks(client, proxy, brief);
      proxy.blackHole();

      const asked = await Promise.allSettled(holdables(locks).map(({ acquire }) => acquire()));
      for (const one of asked) expect(one).toMatchObject({ status: 'rejected', reason: noAnswer });
      expect(await server.command('KEYS', '*')).toEqual([]);

      await proxy.heal();
      await waitFor('it is reached again', () => locks.lock(name).tryAcquire());
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: refusing connections, it is given up', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, brief);
    await server.kill();
    const asked = await Promise.allSettled(holdables(locks).map(({ acquire }) => acquire()));
    for (const one of asked) expect(one).toMatchObject({ status: 'rejected', reason: noAnswer });
    await server.restart();
    await waitFor('it is reached again', () => locks.lock(name).tryAcquire());
  });
});

describeRedis('an outage', () => {
  const patient = { commandTimeoutMs: 2000 };

  test.concurrent.each(CLIENT_NAMES)('%s: is never contention, of a frozen server', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, patient);
    await locks.lock('warm').run(() => undefined);
    await server.pause();
    const asked = await Promise.allSettled(
      holdables(locks).map(({ acquire }) => acquire({ timeoutMs: 500 })),
    );
    for (const [at, one] of asked.entries()) {
      const { kind } = holdables(locks)[at]!;
      const message = expect.stringMatching(
        new RegExp(`${kind} "${kind}": redis did not answer within 500 ms`),
      );
      expect(one).toMatchObject({ status: 'rejected', reason: { ...noAnswer, message } });
    }
    server.resume();
    await waitFor('it is reached again', () => locks.lock(name).tryAcquire());
  });

  test.concurrent.each(CLIENT_NAMES)('%s: tells why, of a server that refuses', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, patient);
    await locks.lock('warm').run(() => undefined);
    await server.kill();
    for (const { kind, acquire } of holdables(locks)) {
      await expect(acquire({ timeoutMs: 500 })).rejects.toMatchObject({
        ...noAnswer,
        message: expect.stringMatching(
          new RegExp(`${kind} "${kind}": redis did not answer within 500 ms \\(.*ECONNREFUSED`),
        ),
        cause: expect.objectContaining({ code: 'ECONNREFUSED' }),
      });
    }
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: names the lock of each caller, and says that nothing was done',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, brief);
      await server.kill();
      const names = ['alpha', 'beta', 'gamma'];
      const asked = await Promise.allSettled(names.map((each) => locks.lock(each).acquire()));
      for (const [at, one] of asked.entries()) {
        const resource = `lock "${names[at]}"`;
        const message = expect.stringMatching(
          new RegExp(`^${resource}: redis did not answer.*nothing was done`),
        );
        expect(one).toMatchObject({ status: 'rejected', reason: { ...noAnswer, resource, message } });
      }
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: leaves open what was sent before it, and nothing else',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = await openLocks(client, server, brief);
      const latch = locks.latch('counted');
      await waitFor(
        'the count is set',
        async () => (await latch.trySetCount(3)) || (await latch.count()) === 3,
      );
      await server.pause();
      const sent = latch.countDown();
      await expect(sent).rejects.toMatchObject({
        ...noAnswer,
        message: expect.stringContaining('whether it happened is not known'),
      });
      server.resume();
      await waitFor('it is reached again', () => locks.lock(name).tryAcquire());
      await server.kill();
      await waitFor('the connection is seen to be broken', () =>
        locks
          .lock('other')
          .acquire({ timeoutMs: 50 })
          .catch(
            ({ cause }: { readonly cause: { readonly code?: string } }) => cause.code === 'ECONNREFUSED',
          ),
      );
      await expect(latch.countDown()).rejects.toMatchObject({
        ...noAnswer,
        message: expect.stringContaining('nothing was done'),
      });
    },
  );
});

describeRedis('a server that takes no more connections', () => {
  test.concurrent.each(CLIENT_NAMES)('%s: a waiter goes on by asking from time to time', async (client) => {
    await using server = await startRedisServer();
    const lease = { renewalLeaseMs: 1500, ...brief };
    await using locks = await openLocks(client, server, lease);
    await using other = await openLocks(client, server, lease);
    const hold = await other.lock(name).acquire();
    const troubles: unknown[] = [];
    locks.on('trouble', ({ error }) => troubles.push(error));
    await server.command('CONFIG', 'SET', 'maxclients', await connections(server));

    const waiting = locks.lock(name).acquire();
    await waitFor('it learns that nothing can be heard', () => troubles.length > 0);
    await hold.release();
    await (await waiting).release();

    await server.command('CONFIG', 'SET', 'maxclients', 1000);
    const again = await other.lock(name).acquire();
    const next = locks.lock(name).acquire();
    await waitFor('it hears again', async () => {
      return String(await server.command('PUBSUB', 'NUMSUB', `redisson_lock__channel:{${name}}`)).endsWith(
        ',1',
      );
    });
    await again.release();
    expect((await next).fence).toBeGreaterThan(again.fence);
  });
});

describeRedis('a server that does not know us', () => {
  test.concurrent('says so to a connection that has not told who it is', async () => {
    await using server = await startRedisServer({ args: { requirepass: 'secret' } });
    const nodeRedis = createClient({ RESP: 2, socket: { host: '127.0.0.1', port: server.port } });
    await nodeRedis.connect();
    const ioredis = new Redis({ port: server.port, enableReadyCheck: false });
    ioredis.on('error', () => undefined);
    for (const client of [nodeRedis, ioredis]) {
      await using locks = redis({ client, ...brief });
      await expect(locks.lock(name).acquire()).rejects.toMatchObject({
        code: 'ENGINE',
        retryable: false,
        message: expect.stringContaining('refused the user or password'),
      });
    }
    nodeRedis.destroy();
    ioredis.disconnect();
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: a password that no longer holds is a lost server',
    async (client) => {
      await using server = await startRedisServer({ args: { requirepass: 'secret' } });
      const place = { port: server.port, password: 'secret' };
      await using locks = await openLocks(client, place, { ...brief, renewalLeaseMs: 1500 });
      const hold = await locks.lock(name).acquire();
      const loss = lossOf(hold);

      await server.command('CONFIG', 'SET', 'requirepass', 'another');
      await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      await expect(locks.lock('new').acquire()).rejects.toMatchObject({ code: 'ENGINE' });
      expect((await loss).reason).toMatchObject({ code: 'LEASE_LOST', reason: 'expired' });

      await server.command('CONFIG', 'SET', 'requirepass', 'secret');
      const again = await waitFor('it is let in again', () => locks.lock(name).tryAcquire());
      expect(again.fence).toBeGreaterThan(hold.fence);
    },
  );
});

async function connections(server: RedisServer): Promise<number> {
  return Number((await server.info('clients'))['connected_clients']);
}
