import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { loadScripts } from './load-scripts.ts';
import { CLIENT_NAMES, openClient, openLocks } from './open-locks.ts';
import { startConfirmingReplicas } from './replicated.ts';
import { redis, type RedisSynchronizers } from '../../../src/engines/redis/index.ts';

const commandTimeoutMs = 1000;
const notKnown = {
  code: 'ENGINE',
  retryable: true,
  message: expect.stringContaining('whether it happened is not known'),
};

interface Asking {
  clientId(): Promise<number>;
  client(command: 'ID'): Promise<number>;
  readonly isReady?: boolean;
  readonly status?: string;
}

describeRedis(
  'whether a request has left is asked of the connection that carries it',
  { timeout: 60_000 },
  () => {
    test.concurrent('a connection of ours beside a silent node-redis client', async () => {
      await using server = await startRedisServer();
      await using proxy = await startTcpProxy(server);
      const user = await openClient('node-redis', proxy);
      await using locks = redis({ client: user.client, commandTimeoutMs });
      await locks.lock('warm').run(() => undefined);
      proxy.silence();
      await waitFor('it is reached again', () => locks.lock('warm').run(() => true), 30_000);

      // The kernel gives up the silent connection, and the user’s client gets no other: ours carries on.
      proxy.refuse();
      proxy.resetSilenced();
      await waitFor(
        'the client has no connection',
        () => (user.client as unknown as Asking).isReady !== true,
      );
      await locks.lock('warm').run(() => undefined);
      const before = await scriptsRunBy(server);
      proxy.toClient.drop();
      await expect(locks.lock('sent').acquire()).rejects.toMatchObject(notKnown);
      expect(await scriptsRunBy(server)).toBeGreaterThan(before);
      await user.close();
    });

    test.concurrent.each(CLIENT_NAMES)('%s: a connection for what replicas confirm', async (client) => {
      await using replication = await startConfirmingReplicas();
      const { master } = replication;
      await using proxy = await startTcpProxy(master);
      const user = await openClient(client, proxy);
      const asking = user.client as unknown as Asking;
      await using locks = redis({
        client: user.client,
        commandTimeoutMs,
        replicas: { atLeast: 1, timeoutMs: 500 },
      });
      await locks.lock('warm').run(() => undefined);

      // The connection of the user’s client ends, and it gets no other: the one for grants carries on.
      const id = await (client === 'ioredis' ? asking.client('ID') : asking.clientId());
      proxy.refuse();
      await master.command('CLIENT', 'KILL', 'ID', id);
      await waitFor(
        'the client has no connection',
        () => asking.isReady !== true && asking.status !== 'ready',
      );
      const before = await scriptsRunBy(master);
      proxy.toClient.drop();
      await expect(locks.lock('sent').acquire()).rejects.toMatchObject(notKnown);
      expect(await scriptsRunBy(master)).toBeGreaterThan(before);
      await user.close();
    });
  },
);

describeRedis('a final answer', { timeout: 60_000 }, () => {
  const forbidden = { code: 'ENGINE', retryable: false };
  const patient = { commandTimeoutMs: 10_000 };
  const verbs: readonly (readonly [string, (locks: RedisSynchronizers) => Promise<unknown>])[] = [
    ['lock "sent"', (locks) => locks.lock('sent').acquire()],
    ['latch "gate"', (locks) => locks.latch('gate').countDown()],
  ];

  test.concurrent.each(CLIENT_NAMES)(
    '%s: to a later copy leaves the outcome of the first open',
    async (client) => {
      for (const [resource, call] of verbs) {
        await using server = await startRedisServer();
        await using proxy = await startTcpProxy(server);
        await using locks = await openLocks(client, proxy, patient);
        await locks.lock('warm').run(() => undefined);
        await locks.latch('gate').trySetCount(3);

        // The answer is lost with the connection, and before there is another one the user may run no script any more.
        const lost = proxy.loseReplyTo(({ length }) => length > 3);
        proxy.refuse();
        const refused = call(locks).catch((error: unknown) => error);
        await lost;
        await server.command('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
        await proxy.accept();
        const message = expect.stringMatching(
          new RegExp(
            `^${resource}: the Redis user may not run .*earlier copy.*whether it happened is not known`,
          ),
        );
        expect(await refused).toMatchObject({ ...forbidden, message });
      }
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: to a request that waited for a connection stands',
    async (client) => {
      await using server = await startRedisServer();
      await using proxy = await startTcpProxy(server);
      const user = await openClient(client, proxy);
      await using locks = redis({ client: user.client, ...patient });
      await locks.lock('warm').run(() => undefined);
      proxy.refuse();
      proxy.reset();
      const asking = user.client as unknown as Asking;
      await waitFor(
        'the client has no connection',
        () => asking.isReady !== true && asking.status !== 'ready',
      );
      const refused = locks
        .lock('sent')
        .acquire()
        .catch((error: unknown) => error);
      await server.command('ACL', 'SETUSER', 'default', '-evalsha', '-eval');
      await proxy.accept();
      const message = expect.not.stringContaining('not known');
      expect(await refused).toMatchObject({ ...forbidden, message });
      await user.close();
    },
  );
});

describeRedis('a server that takes no writes any more', { timeout: 60_000 }, () => {
  const timeoutMs = 2000;
  const waits: readonly (readonly [string, string, (locks: RedisSynchronizers) => Promise<unknown>])[] = [
    ['lock "sent"', 'lock-acquire', (locks) => locks.lock('sent').acquire({ timeoutMs })],
    ['fairLock "sent"', 'fair-lock-acquire', (locks) => locks.fairLock('sent').tryAcquire({ timeoutMs })],
    ['election "seat"', 'cell-write', (locks) => locks.election('seat').campaign({ timeoutMs })],
  ];

  test.concurrent.each(CLIENT_NAMES)(
    '%s: leaves the outcome of the first copy open, also where the time of a wait ends',
    async (client) => {
      for (const [resource, script, call] of waits) {
        await using server = await startRedisServer();
        await using proxy = await startTcpProxy(server);
        await using locks = await openLocks(client, proxy, { commandTimeoutMs: 5000 });
        const digests = await loadScripts(server);

        // The answer is lost with the connection, and before there is another one the server has become a replica.
        const lost = proxy.loseReplyTo((words) => words.includes(digests.get(script)!));
        proxy.refuse();
        const ended = call(locks).catch((error: unknown) => error);
        await lost;
        await server.command('REPLICAOF', '127.0.0.1', '1');
        await proxy.accept();
        const message = expect.stringMatching(
          new RegExp(
            `^${resource}: the server is a replica .*earlier copy of the request was carried out is not known`,
          ),
        );
        const told = await ended;
        expect(told).toMatchObject({ code: 'ENGINE', retryable: true, message });
        expect(String(told)).not.toMatch(/nothing was done/i);
        // What the first copy brought can be given back.
        await server.command('REPLICAOF', 'NO', 'ONE');
      }
    },
  );
});

async function scriptsRunBy(server: RedisServer): Promise<number> {
  const stats = await server.info('commandstats');
  return Number(/calls=(\d+)/.exec(stats['cmdstat_evalsha'] ?? '')?.[1] ?? 0);
}
