import * as ioredis from 'ioredis';
import * as nodeRedis from 'redis';
import { expect, test } from 'vitest';
import { RefusedError } from '../../../src/core/failures/refused-error.ts';
import type { ClientModule } from '../../../src/engines/redis/drivers/opening/client-module.ts';
import { notOpen } from '../../../src/engines/redis/drivers/opened-connections.ts';
import { openRedis } from '../../../src/engines/redis/drivers/opening/open-redis.ts';
import { parseRedisAddress } from '../../../src/engines/redis/drivers/opening/redis-address.ts';
import { redis, type RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import { explained } from '../../../src/engines/redis/requests/server-errors.ts';
import { afterUnanswered } from '../../../src/kernels/requests/after-unanswered.ts';
import { freePort } from '../../fixtures/processes/free-port.ts';
import { selfSigned } from '../../fixtures/network/self-signed.ts';
import { tlsArguments } from '../../fixtures/redis/tls-arguments.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisReplication } from '../../fixtures/redis/redis-replication.ts';
import { startOlderRedis } from '../../fixtures/redis/older-redis.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, type ClientName, openLocks } from './open-locks.ts';

const name = 'ledger';
/** Longer than any test: whatever is reported was reported at once, and not when time was over. */
const patient = { commandTimeoutMs: 120_000 };

const modules = {
  'node-redis': async () => ({ kind: 'node-redis', module: nodeRedis }) as unknown as ClientModule,
  ioredis: async () => ({ kind: 'ioredis', module: ioredis }) as unknown as ClientModule,
};

function engineError(retryable: boolean, says: RegExp): unknown {
  return expect.objectContaining({ code: 'ENGINE', retryable, message: expect.stringMatching(says) });
}

async function refusalOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => undefined,
    (error: unknown) => error,
  );
}

function asItFailed(error: unknown): unknown {
  return error;
}

/** On a client of the user that is not connected yet. */
function connectingLocks(client: ClientName, port: number, tls: boolean) {
  const settings = patient;
  if (client === 'ioredis') {
    const own = new ioredis.Redis({ port, ...(tls && { tls: { rejectUnauthorized: false } }) });
    own.on('error', () => undefined);
    return closingWith(redis({ client: own, ...settings }), () => own.disconnect());
  }
  const socket = { host: '127.0.0.1', port };
  const own = nodeRedis.createClient({
    socket: tls ? { ...socket, tls: true, rejectUnauthorized: false } : socket,
  });
  own.on('error', () => undefined);
  own.connect().catch(() => undefined);
  return closingWith(redis({ client: own, ...settings }), () => own.destroy());
}

function closingWith(locks: RedisSynchronizers, end: () => void): RedisSynchronizers {
  const close = async (): Promise<void> => {
    await locks.close();
    end();
  };
  return { ...locks, close, [Symbol.asyncDispose]: close };
}

describeRedis('a server that is not the right one says so at once', { timeout: 60_000 }, () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: one of a cluster, to a client for a single server',
    async (client) => {
      await using cluster = await startRedisCluster({ replicasPerMaster: 0 });
      const elsewhere = await waitFor('a name of another server', async () => {
        const each = Math.random().toString(36);
        return (await cluster.masterOf(each)) === cluster.nodes[0] ? undefined : each;
      });
      await using locks = await openLocks(client, { port: cluster.nodes[0]!.port }, patient);
      const says = new RegExp(`^lock "${elsewhere}": the server is one of a cluster.*redis-cluster://`);
      expect(await refusalOf(locks.lock(elsewhere).acquire())).toEqual(engineError(false, says));
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: a replica, whatever is asked of it', async (client) => {
    await using replication = await startRedisReplication({ replicas: 1 });
    const [replica] = replication.replicas;
    await using locks = await openLocks(client, { port: replica!.port }, patient);
    const says =
      /^\w+ "ledger": the server is a replica and takes no writes .*Nothing was done.*address of the master/;
    const asks = {
      'a lock': locks.lock(name).acquire(),
      'a lock, for a while': locks.lock(name).acquire({ timeoutMs: 60_000 }),
      'a fair lock': locks.fairLock(name).tryAcquire(),
      'an election': locks.election(name).campaign(),
      'a barrier': locks.barrier(name, { parties: 2 }).arrive(),
      'a monitor': locks.monitor(name, { initial: 0 }).run(() => undefined),
    };
    const told = Object.entries(asks).map(async ([what, asked]) => {
      expect({ what, told: await refusalOf(asked) }).toEqual({ what, told: engineError(true, says) });
    });
    await Promise.all(told);
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: one that wants more replicas, to a bounded wait',
    async (client) => {
      await using server = await startRedisServer({ args: { 'min-replicas-to-write': '1' } });
      await using locks = await openLocks(client, { port: server.port }, { commandTimeoutMs: 5_000 });
      const says =
        /^\w+ "ledger": Redis was not ready for as long as it was asked \(NOREPLICAS.*Nothing was done/;
      const timeoutMs = 1_500;
      for (const asked of [
        locks.lock(name).acquire({ timeoutMs }),
        locks.fairLock(name).tryAcquire({ timeoutMs }),
        locks.election(name).campaign({ timeoutMs }),
      ]) {
        expect(await refusalOf(asked)).toEqual(engineError(true, says));
      }
    },
  );

  test.concurrent.each(CLIENT_NAMES)('%s: full, to a connection by address', async (client) => {
    await using server = await startRedisServer();
    await server.command('CONFIG', 'SET', 'maxclients', 1);
    const says = /^redis: cannot connect to .*takes no more connections, its maxclients is reached/;
    expect(await refusalOf(openRedis(parseRedisAddress(server.url), modules[client]))).toEqual(
      engineError(true, says),
    );
  });

  // With the words of the server: node-redis greets it with HELLO, and gives them to what it is to send.
  test.concurrent('full, to callers of cells, each by its name', async () => {
    await using server = await startRedisServer();
    await using locks = await openLocks('node-redis', server, patient);
    await locks.election('warm').campaign();
    await server.command('CONFIG', 'SET', 'maxclients', 1);
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    for (const each of ['alpha', 'beta']) {
      const says = new RegExp(
        `^election "${each}": Redis takes no more connections, its maxclients is reached`,
      );
      expect(await refusalOf(locks.election(each).campaign())).toEqual(engineError(true, says));
    }
    await server.command('CONFIG', 'SET', 'maxclients', 1000);
  });

  test.concurrent('full, to a client of the user that sends no greeting: ioredis', async () => {
    await using server = await startRedisServer();
    await server.command('CONFIG', 'SET', 'maxclients', 1);
    const client = new ioredis.Redis({ port: server.port });
    client.on('error', () => undefined);
    await using locks = redis({ client, ...patient });
    for (const asked of [
      locks.lock(name).acquire(),
      locks.latch(name).countDown(),
      locks.election(name).campaign(),
    ]) {
      const says = /^\w+ "ledger": Redis takes no more connections, its maxclients is reached/;
      expect(await refusalOf(asked)).toEqual(engineError(true, says));
    }
    await server.command('CONFIG', 'SET', 'maxclients', 1000);
    await locks.lock(name).run(() => undefined, { timeoutMs: 60_000 });
    client.disconnect();
  });

  /**
   * Was ready, and loses its connection to a server that is full then. Counts down when the connection closes: the refusal is
   * found after the next connection, so the change is in the queue of ioredis by then, however slow the machine is.
   */
  async function refusedIoredis(server: RedisServer, commandTimeoutMs: number) {
    const client = new ioredis.Redis({ port: server.port });
    client.on('error', () => undefined);
    const locks = closingWith(redis({ client, commandTimeoutMs }), () => client.disconnect());
    await locks.latch(name).trySetCount(3);
    const counted = new Promise<unknown>((resolve) => {
      client.once('close', () => resolve(locks.latch(name).countDown().catch(asItFailed)));
    });
    await server.command('CONFIG', 'SET', 'maxclients', 1);
    await server.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
    return { locks, counted };
  }

  // What ioredis keeps until it is connected cannot be taken back. Its caller must not hear before the limit of the request
  // that nothing was done: the server carries it out as soon as it has room.
  test.concurrent('full, to ioredis with a change in its queue: not before its limit', async () => {
    await using server = await startRedisServer();
    const { locks, counted } = await refusedIoredis(server, 1_500);
    await using _ = locks;
    const says =
      /^latch "ledger": redis did not answer within 3000 ms \(.*its maxclients is reached.*\); nothing was done\./;
    expect(await counted).toEqual(engineError(true, says));
    await server.command('CONFIG', 'SET', 'maxclients', 1000);
  });

  test.concurrent('full, to ioredis with a change in its queue: it is carried out once', async () => {
    await using server = await startRedisServer();
    const { locks, counted } = await refusedIoredis(server, 30_000);
    await using _ = locks;
    // Asks nothing of the server but what changes nothing, until the refusal is known.
    const says = /^latch "ledger": Redis takes no more connections, its maxclients is reached/;
    expect(await refusalOf(locks.latch(name).count())).toEqual(engineError(true, says));
    // From now on a change is not given to the client.
    expect(await refusalOf(locks.latch(name).countDown())).toEqual(engineError(true, says));
    await server.command('CONFIG', 'SET', 'maxclients', 1000);
    expect(await counted).toBe(2);
    expect(await locks.latch(name).count()).toBe(2);
  });

  test.concurrent.each(CLIENT_NAMES)('%s: one without TLS, to an address with it', async (client) => {
    await using server = await startRedisServer();
    const url = server.url.replace('redis://', 'rediss://');
    const says = /^redis: cannot connect to .*speaks no TLS on this port\. Use redis:/;
    expect(await refusalOf(openRedis(parseRedisAddress(url), modules[client]))).toEqual(
      engineError(false, says),
    );
  });

  test.concurrent.each(CLIENT_NAMES)('%s: one with TLS, to an address without it', async (client) => {
    using signed = selfSigned();
    const tlsPort = await freePort();
    await using server = await startRedisServer({ args: tlsArguments(tlsPort, signed) });
    expect(await server.command('PING')).toBe('PONG');
    const says = /^redis: cannot connect to .*speaks TLS on this port\. Use rediss:/;
    const refused = refusalOf(openRedis(parseRedisAddress(`redis://127.0.0.1:${tlsPort}`), modules[client]));
    expect(await refused).toEqual(engineError(false, says));
  });

  test.concurrent.each(CLIENT_NAMES)(
    '%s: one without TLS, to a client of the user with it',
    async (client) => {
      await using server = await startRedisServer();
      await using locks = connectingLocks(client, server.port, true);
      const says = /^\w+ "ledger": the server speaks no TLS on this port\. Use redis:/;
      expect(await refusalOf(locks.lock(name).acquire())).toEqual(engineError(false, says));
      expect(await refusalOf(locks.election(name).campaign())).toEqual(engineError(false, says));
    },
  );

  test.concurrent.each(CLIENT_NAMES)(
    '%s: one with TLS, to a client of the user without it',
    async (client) => {
      using signed = selfSigned();
      const tlsPort = await freePort();
      await using server = await startRedisServer({ args: tlsArguments(tlsPort, signed) });
      expect(await server.command('PING')).toBe('PONG');
      await using locks = connectingLocks(client, tlsPort, false);
      const says = /^\w+ "ledger": the server speaks TLS on this port\. Use rediss:/;
      expect(await refusalOf(locks.lock(name).acquire())).toEqual(engineError(false, says));
      expect(await refusalOf(locks.election(name).campaign())).toEqual(engineError(false, says));
    },
  );

  test('that wants a password, to a request of many words', async () => {
    await using server = await startRedisServer({ args: { requirepass: 'secret' } });
    using stranger = await server.connect({ password: undefined });
    const many = Array.from({ length: 20 }, () => 'word');
    const said = await refusalOf(stranger.command('EVALSHA', ...many));
    expect(String(said)).toContain('unauthenticated multibulk length');
    const subject = { resource: `lock "${name}"`, engine: 'redis' };
    expect(explained(said, subject, 'single')).toEqual(engineError(false, /refused the user or password/));
  });

  test.concurrent.each(CLIENT_NAMES)('%s: one that is older than 7.0', async (client) => {
    await using server = await startRedisServer();
    await using older = await startOlderRedis(server);
    await using locks = await openLocks(client, older, patient);
    const says = /^lock "ledger": this server is older than Redis 7\.0/;
    expect(await refusalOf(locks.lock(name).acquire())).toEqual(engineError(false, says));
  });
});

describeRedis('a client that is not connected', () => {
  test('says so at once, with the name of the lock', async () => {
    await using server = await startRedisServer();
    const never = nodeRedis.createClient({ socket: { host: '127.0.0.1', port: server.port } });
    const closed = new ioredis.Redis({ port: server.port, lazyConnect: true });
    await closed.connect();
    closed.disconnect();
    await waitFor('it has ended', () => closed.status === 'end');
    for (const client of [never, closed]) {
      await using locks = redis({ client, ...patient });
      const says = /^lock "ledger": the client is not open\. Call `await client\.connect\(\)`/;
      expect(await refusalOf(locks.lock(name).acquire())).toEqual(engineError(false, says));
      expect(await refusalOf(locks.lock(name).tryAcquire())).toEqual(engineError(false, says));
      const monitor = locks.monitor(name, { initial: 0 });
      const saysOfMonitor = /^monitor "ledger": the client is not open\. Call `await client\.connect\(\)`/;
      expect(await refusalOf(monitor.run(() => undefined))).toEqual(engineError(false, saysOfMonitor));
    }
  });

  test('is no answer of a server, and leaves the outcome of an earlier copy open', () => {
    const subject = { resource: `lock "${name}"`, engine: 'redis' };
    const after = afterUnanswered(explained(notOpen(), subject, 'single'));
    expect(after).toEqual(engineError(false, /the client is not open.*whether it happened is not known/));
    for (const error of [explained(notOpen(), subject, 'single'), after])
      expect(error).not.toBeInstanceOf(RefusedError);
  });
});
