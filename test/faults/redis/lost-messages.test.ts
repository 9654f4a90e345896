import { expect, test } from 'vitest';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { CLIENT_NAMES, openClient, openLocks } from './open-locks.ts';

const WAITERS = 100;
/** So long that the client that gets in within the time of a test does not owe it to the lease, nor to looking by itself. */
const renewalLeaseMs = 120_000;
const names = Array.from({ length: WAITERS }, (_, at) => `door ${at}`);

describeRedis('a subscriber connection that breaks while a hundred wait', () => {
  test.each(CLIENT_NAMES)('%s: all of them are called afterwards', async (client) => {
    await using server = await startRedisServer();
    await using holder = await openLocks(client, server, { renewalLeaseMs });
    await using others = await openLocks(client, server, { renewalLeaseMs });
    const held = await Promise.all(names.map((name) => holder.lock(name).acquire()));
    const waiting = names.map((name) => others.lock(name).acquire());
    await waitFor('all of them listen', async () => (await channels(server)) === WAITERS);

    expect(await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub')).toBe(1);
    await waitFor('all of them listen again', async () => (await channels(server)) === WAITERS);
    for (const hold of held) await hold.release();

    await Promise.all(waiting);
  });

  test.each(CLIENT_NAMES)('%s: a message that reached no listener strands no waiter', async (client) => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    await using holder = await openLocks(client, server, { renewalLeaseMs });
    await using others = await openLocks(client, proxy, { renewalLeaseMs });
    const held = await Promise.all(names.map((name) => holder.lock(name).acquire()));
    const waiting = names.map((name) => others.lock(name).acquire());
    await waitFor('all of them listen', async () => (await channels(server)) === WAITERS);

    proxy.refuse();
    expect(await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub')).toBe(1);
    for (const hold of held) await hold.release();
    expect(await channels(server)).toBe(0);
    await proxy.accept();

    await Promise.all(waiting);
  });

  test.each(CLIENT_NAMES)('%s: nor one that was published as the connection broke', async (client) => {
    await using server = await startRedisServer();
    await using locks = await openLocks(client, server, { renewalLeaseMs });
    await server.command('HSET', 'java', 'a client', 1);
    const waiting = locks.lock('java').acquire();
    await waitFor('it listens', async () => (await channels(server)) === 1);

    await server.command('MULTI');
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await server.command('DEL', 'java');
    await server.command('PUBLISH', 'redisson_lock__channel:{java}', 0);
    expect(await server.command('EXEC')).toEqual([1, 1, 0]);

    await waiting;
  });

  test.each(CLIENT_NAMES)('%s: a channel that is left and taken again meanwhile is heard', async (client) => {
    await using server = await startRedisServer();
    await using proxy = await startTcpProxy(server);
    const user = await openClient(client, proxy);
    const driver = driverFor(user.client);
    const heard: string[] = [];
    let gaps = 0;
    const subscriber = await driver.openSubscriber({
      message: (channel) => heard.push(channel),
      gap: () => (gaps += 1),
    });
    await subscriber.subscribe('channel', 'door');

    // Begun for the one who was there before, and not finished.
    const before = proxy.accepted;
    proxy.toServer.hold();
    expect(await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub')).toBe(1);
    await waitFor('it is being connected again', () => proxy.accepted > before);
    const left = subscriber.unsubscribe('channel', 'door');
    const taken = subscriber.subscribe('channel', 'door');
    proxy.toServer.pass();
    await Promise.all([left, taken]);
    await waitFor('all is subscribed again', () => gaps > 0);

    await waitFor('it is heard', async () => {
      await server.command('PUBLISH', 'door', 'knock');
      return heard.includes('door');
    });
    await driver.close();
    await user.close();
  });

  test.each(CLIENT_NAMES)('%s: a line of a hundred moves on in its order', async (client) => {
    await using server = await startRedisServer();
    await using holder = await openLocks(client, server, { renewalLeaseMs });
    await using others = await openLocks(client, server, { renewalLeaseMs });
    const held = await holder.fairLock('line').acquire();
    const order: number[] = [];
    const waiting = names.map(async (_, at) => {
      await waitFor(`it is the turn of ${at}`, async () => (await inLine(server)) === at);
      return others.fairLock('line').run(() => order.push(at));
    });
    await waitFor('all of them stand in line', async () => (await inLine(server)) === WAITERS);

    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await held.release();

    await Promise.all(waiting);
    expect(order).toEqual(names.map((_, at) => at));
  });
});

type Asked = Pick<Awaited<ReturnType<typeof startRedisServer>>, 'command'>;

async function channels(server: Asked): Promise<number> {
  return ((await server.command('PUBSUB', 'CHANNELS', '*')) as unknown[]).length;
}

async function inLine(server: Asked): Promise<number> {
  return Number(await server.command('LLEN', 'redisson_lock_queue:{line}'));
}
