import { afterAll, beforeAll, expect, test } from 'vitest';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import { openEngine } from '../../../src/engines/redis/open-engine.ts';
import type { Synchronizers } from '../../../src/index.ts';
import { redis, type RedisClientLike } from '../../../src/engines/redis/index.ts';
import { type ClientKind, clientKinds, plainKinds } from '../../engines/redis-drivers/client-kinds.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy, type TcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { openLocks } from './open-locks.ts';

/** A waiter that asks by itself would not get in within the time of a test: it has to hear. */
const renewalLeaseMs = 300_000;
/** 15 seconds are promised, and 14.5 are what the heartbeat takes: `heartbeat.test.ts`. Here a busy machine has its share. */
const HEARS_AGAIN_WITHIN_MS = 30_000;
/** A waiter that has asked nothing for so long waits for a message, or for seconds. */
const ASKS_AGAIN_WITHIN_MS = 300;
const commandTimeoutMs = 2000;

interface Scene extends AsyncDisposable {
  readonly server: RedisServer;
  readonly proxy: TcpProxy;
  readonly other: Synchronizers;
  readonly name: string;
}

const ioredisKinds = plainKinds.filter(({ name }) => name.startsWith('ioredis'));
const nodeRedisKinds = plainKinds.filter(({ name }) => name.startsWith('redis'));

type IoredisCommands = RedisClientLike & {
  get(key: string): Promise<string | null>;
  eval(script: string, keys: number): Promise<unknown>;
  on(event: 'close', listener: () => void): unknown;
};

let scenes = 0;

/** A network that can forget connections, in front of a server, and a client that reaches that by another way. */
async function setScene(server: RedisServer): Promise<Scene> {
  const proxy = await startTcpProxy(server);
  const other = await openLocks('ioredis', server, { renewalLeaseMs });
  return {
    server,
    proxy,
    other,
    name: `ledger ${(scenes += 1)}`,
    [Symbol.asyncDispose]: async () => {
      await other.close();
      await proxy.stop();
    },
  };
}

/** An engine on a client of the user's, which is closed with it. */
async function openThrough({ proxy }: Scene, kind: ClientKind, options?: object): Promise<Synchronizers> {
  const user = await kind.single(proxy.port, options);
  const locks = redis({ client: user.client, renewalLeaseMs, commandTimeoutMs });
  const close = async (): Promise<void> => {
    await locks.close();
    await user.close();
  };
  return { ...locks, close, [Symbol.asyncDispose]: close };
}

/** Whether a release of the other is heard by a waiter. */
async function handsOver({ other, name, proxy }: Scene, locks: Synchronizers): Promise<boolean> {
  const held = await other.lock(name).acquire();
  let askedAt = Infinity;
  // Loses nothing: it hears what the waiter asks.
  void proxy.loseReplyTo((words) => {
    if (words.some((word) => word.includes(name))) askedAt = performance.now();
    return false;
  });
  const waiting = locks.lock(name).tryAcquire({ timeoutMs: HEARS_AGAIN_WITHIN_MS });
  // A waiter asks again as soon as it is subscribed: a release before that needs no message.
  await waitFor('the waiter waits for a message', () => performance.now() - askedAt > ASKS_AGAIN_WITHIN_MS);
  await held.release();
  const hold = await waiting;
  await hold?.release();
  return hold !== null;
}

describeRedis('a connection that has gone silent', { timeout: 90_000 }, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server.stop());

  test.concurrent.each(clientKinds)('for messages is replaced: $name', async (kind) => {
    await using scene = await setScene(server);
    await using locks = await openThrough(scene, kind);
    expect(await handsOver(scene, locks)).toBe(true);
    expect(scene.proxy.silence('for messages')).toBe(1);
    // It waits from before the replacement until after it, and is woken by the message of the release or by the gap.
    expect(await handsOver(scene, locks)).toBe(true);
    expect(await handsOver(scene, locks)).toBe(true);
  });

  // A PING that the client gives up has had no answer.
  test.concurrent.each(ioredisKinds)(
    'for messages is replaced where the client of the user gives up its commands sooner: $name',
    async (kind) => {
      await using scene = await setScene(server);
      await using locks = await openThrough(scene, kind, { commandTimeout: 1000 });
      expect(await handsOver(scene, locks)).toBe(true);
      expect(scene.proxy.silence('for messages')).toBe(1);
      expect(await handsOver(scene, locks)).toBe(true);
      expect(await handsOver(scene, locks)).toBe(true);
    },
  );

  // Set for a client that always has something to send. A connection for messages is quiet by nature.
  test.concurrent.each(nodeRedisKinds)(
    'is not one for messages that is quiet for longer than the client of the user lets its own be: $name',
    async (kind) => {
      await using scene = await setScene(server);
      const { name, proxy } = scene;
      const socketTimeout = 1000;
      const socket = { host: '127.0.0.1', port: proxy.port, socketTimeout };
      await using locks = await openThrough(scene, kind, { socket });
      expect(await handsOver(scene, locks)).toBe(true);
      await using held = await scene.other.lock(name).acquire();
      const waiting = locks.lock(name).acquire();
      const { accepted } = proxy;
      const until = performance.now() + 3 * socketTimeout;
      await waitFor('it was quiet for long', async () => {
        await locks.lock(`${name}, busy`).isLocked();
        return performance.now() > until;
      });
      expect(proxy.accepted).toBe(accepted);
      await held.release();
      await (await waiting).release();
    },
  );

  test.concurrent.each(['redis', 'ioredis'])(
    'for commands is replaced within two time-outs if it is ours: %s',
    async (client) => {
      await using scene = await setScene(server);
      const { name, proxy } = scene;
      const kind = clientKinds.find(({ name: each }) => each.startsWith(`${client} 6`))!;
      const user = await kind.single(proxy.port);
      const users = driverFor(user.client);
      const driver = await users.duplicate();
      // As a user has it: what the promise leaves for the machine is a part of it.
      await using locks = openEngine(driver, { commandTimeoutMs: 5000, renewalLeaseMs });
      await locks.lock(name).run(() => undefined);
      const { accepted } = proxy;

      expect(proxy.silence()).toBeGreaterThan(0);
      // After two time-outs an acquisition is given up, and rejects.
      const asked = Array.from({ length: 5 }, (_, at) => locks.lock(`${name} ${at}`).acquire());
      for (const hold of await Promise.all(asked)) await hold.release();
      await locks.lock(name).run(() => undefined);
      expect(proxy.accepted).toBeLessThanOrEqual(accepted + 3);
      await users.close();
      await user.close();
    },
  );

  test.concurrent.each([
    ['ours', true],
    ['the user’s', false],
  ] as const)('of node-redis, replaced: we hear why the next one fails: %s', async (_whose, isOurs) => {
    await using scene = await setScene(server);
    const { name, proxy } = scene;
    const [kind] = plainKinds;
    const user = await kind!.single(proxy.port);
    const users = driverFor(user.client);
    const driver = isOurs ? await users.duplicate() : users;
    await using locks = openEngine(driver, { commandTimeoutMs, renewalLeaseMs });
    await locks.lock(name).run(() => undefined);
    if (isOurs) await user.close();
    proxy.silence();
    await waitFor('it is reached again', () => locks.lock(name).run(() => true), 30_000);

    proxy.refuse();
    proxy.reset('not silenced');
    const refused = () =>
      locks
        .lock(name)
        .acquire({ timeoutMs: 500 })
        .then(
          () => false,
          ({ cause }: { readonly cause: { readonly code?: string } }) => cause.code === 'ECONNREFUSED',
        );
    expect(await waitFor('it learns that connections are refused', refused, 30_000)).toBe(true);
    await locks.close();
    await users.close();
    await user.close();
  });

  test.concurrent.each(ioredisKinds)(
    'is not one that carries a large reply to the user: $name',
    async (kind) => {
      await using scene = await setScene(server);
      const { name, proxy } = scene;
      const size = 3_000_000;
      await server.command('SET', name, 'x'.repeat(size));
      const user = await kind.single(proxy.port);
      const client = user.client as IoredisCommands;
      let closed = 0;
      client.on('close', () => (closed += 1));
      await using locks = redis({ client, commandTimeoutMs, renewalLeaseMs });
      await locks.lock('warm').run(() => undefined);
      proxy.toClient.narrow = { bytes: 16_384, everyMs: 20 };
      const reply = client.get(name);
      const behind = locks
        .lock('behind')
        .acquire()
        .catch((error: unknown) => error);
      expect((await reply)?.length).toBe(size);
      expect(closed).toBe(0);
      await behind;
      proxy.toClient.narrow = undefined;
      await locks.close();
      await user.close();
    },
  );

  test.concurrent.each(ioredisKinds)(
    'is not one that waits behind a script of the user: $name',
    async (kind) => {
      await using busy = await startRedisServer({ args: { 'busy-reply-threshold': '10' } });
      await using scene = await setScene(busy);
      const user = await kind.single(scene.proxy.port, { enableReadyCheck: false });
      const client = user.client as IoredisCommands;
      let closed = 0;
      client.on('close', () => (closed += 1));
      await using locks = redis({ client, commandTimeoutMs, renewalLeaseMs });
      await locks.lock('warm').run(() => undefined);
      const script = client.eval('while true do end', 0).catch(String);
      await expect(locks.lock('behind').acquire()).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
      await busy.command('SCRIPT', 'KILL');
      expect(await script).toMatch(/killed/i);
      expect(closed).toBe(0);
      await locks.close();
      await user.close();
    },
  );

  test.concurrent.each(clientKinds)(
    'for commands and is the user’s: we go on beside it, or have it reconnect: $name',
    async (kind) => {
      await using scene = await setScene(server);
      const { name, proxy } = scene;
      await using locks = await openThrough(scene, kind);
      await locks.lock(name).run(() => undefined);
      expect(proxy.silence()).toBeGreaterThan(0);
      await waitFor('it is reached again', () => locks.lock(name).run(() => true), 30_000);
      const { accepted } = proxy;
      for (let time = 0; time < 10; time += 1) await locks.lock(name).run(() => undefined);
      expect(proxy.accepted, 'and stays').toBe(accepted);
    },
  );

  test.concurrent.each(plainKinds)('is kept if it is the server that stands still: $name', async (kind) => {
    await using frozen = await startRedisServer();
    await using scene = await setScene(frozen);
    const { name } = scene;
    await using locks = await openThrough(scene, kind);
    await locks.lock(name).run(() => undefined);
    await frozen.pause();
    const failed = await locks
      .lock(name)
      .acquire()
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'ENGINE', retryable: true });
    frozen.resume();
    await waitFor('it is reached again', () => locks.lock(name).run(() => true), 30_000);
  });

  test.concurrent.each(plainKinds)(
    'costs those who wait one PING in nine seconds to find: $name',
    async (kind) => {
      await using alone = await startRedisServer();
      await using scene = await setScene(alone);
      await using locks = await openThrough(scene, kind);
      const names = Array.from({ length: 20 }, (_, at) => `${scene.name} ${at}`);
      const holds = await Promise.all(names.map((name) => scene.other.lock(name).acquire()));
      const waiting = names.map((name) => locks.lock(name).acquire());
      const pings = async (): Promise<number> => {
        const stats = await alone.info('commandstats');
        return Number(/calls=(\d+)/.exec(stats['cmdstat_ping'] ?? '')?.[1] ?? 0);
      };
      const before = await pings();
      const since = performance.now();
      await waitFor('two signs of life', async () => (await pings()) >= before + 2, 40_000);
      expect(performance.now() - since).toBeGreaterThan(5000);
      for (const hold of holds) await hold.release();
      for (const hold of await Promise.all(waiting)) await hold.release();
    },
  );

  test.concurrent.each(clientKinds)('is not one whose user may not send PING: $name', async (kind) => {
    await using alone = await startRedisServer();
    await alone.command('ACL', 'SETUSER', 'default', '-ping');
    await using scene = await setScene(alone);
    await using locks = await openThrough(scene, kind);
    expect(await handsOver(scene, locks)).toBe(true);
    const { accepted } = scene.proxy;
    await waitFor(
      'two signs of life were refused',
      async () => {
        const stats = await alone.info('commandstats');
        return Number(/rejected_calls=(\d+)/.exec(stats['cmdstat_ping'] ?? '')?.[1] ?? 0) >= 2;
      },
      40_000,
    );
    expect(await handsOver(scene, locks)).toBe(true);
    expect(scene.proxy.accepted).toBe(accepted);
  });
});
