import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Synchronizers } from '../../../src/index.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { holdables } from './holdables.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';

/** As Redis 7 makes a user who was given keys and commands, and no word was said of channels. */
const RULES = ['on', '>secret', '~*', 'resetchannels', '+@all'];
/** Waiters would ask by themselves after a third of it: a waiter that asks sooner was notified. */
const settings = { renewalLeaseMs: 300_000, commandTimeoutMs: 3000 };

const forbidden = (name: string): unknown =>
  expect.objectContaining({
    code: 'ENGINE',
    retryable: false,
    message: expect.stringMatching(
      new RegExp(
        `"${name}": its Redis user may not subscribe .*ACL SETUSER «user» &redisson_\\* &holdfast_\\*`,
      ),
    ),
  });

/** Everything else that can be waited for: what makes it busy, and who then waits. */
const waits: Readonly<
  Record<string, (other: Synchronizers, locks: Synchronizers) => Promise<() => Promise<unknown>>>
> = {
  reader: async (other, locks) => {
    await other.readWriteLock('reader').write.acquire();
    return () => locks.readWriteLock('reader').read.acquire();
  },
  latch: async (other, locks) => {
    await other.latch('latch').trySetCount(1);
    return () => locks.latch('latch').await();
  },
  monitor: async (other, locks) => {
    let entered: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => (entered = resolve));
    void other
      .monitor('monitor', { initial: 0 })
      .run(() => new Promise<void>(() => entered()))
      .catch(() => undefined);
    await inside;
    return () => locks.monitor('monitor', { initial: 0 }).run(() => undefined);
  },
  barrier: async (_other, locks) => () => locks.barrier('barrier', { parties: 2 }).arrive(),
};

describeRedis('a user without permission for channels', { timeout: 60_000 }, () => {
  let server: RedisServer;
  const warnings: string[] = [];
  const note = (warning: Error & { readonly code?: string }): void => {
    if (warning.code === 'HOLDFAST_CHANNELS') warnings.push(warning.message);
  };
  beforeAll(async () => {
    server = await startRedisServer();
    process.on('warning', note);
  });
  afterAll(async () => {
    process.off('warning', note);
    await server.stop();
  });

  async function place(username: string) {
    await server.command('FLUSHALL');
    await server.command('ACL', 'SETUSER', username, 'reset', ...RULES);
    return { port: server.port, username, password: 'secret' };
  }

  test.each(CLIENT_NAMES)(
    '%s: is refused with the reason when it would have to wait, on every kind',
    async (client) => {
      await using other = await openLocks(client, server, settings);
      await using locks = await openLocks(client, await place('waiter'), settings);
      for (const [at, { kind, acquire }] of holdables(other).entries()) {
        const held = await acquire();
        await expect(holdables(locks)[at]!.acquire()).rejects.toEqual(forbidden(kind));
        await held.release();
        // No client stands in line for it.
        await (await acquire({ timeoutMs: 5000 })).release();
      }
      for (const [name, prepare] of Object.entries(waits)) {
        const wait = await prepare(other, locks);
        await expect(wait()).rejects.toEqual(forbidden(name));
      }
    },
  );

  test.each(CLIENT_NAMES)('%s: releases what it holds, and warns once', async (client) => {
    await using locks = await openLocks(client, await place('holder'), settings);
    warnings.length = 0;
    for (const { acquire } of holdables(locks)) await (await acquire()).release();
    await (await locks.readWriteLock('reader').read.acquire()).release();
    await locks.latch('latch').trySetCount(1);
    expect(await locks.latch('latch').countDown()).toBe(0);
    await using other = await openLocks(client, server, settings);
    for (const { acquire } of holdables(other)) await (await acquire({ timeoutMs: 5000 })).release();
    await waitFor('it was warned', () => warnings.length > 0);
    expect(warnings).toEqual([expect.stringContaining('ACL SETUSER «user» &redisson_* &holdfast_*')]);
  });

  test.each(CLIENT_NAMES)('%s: waits as soon as it may, without being opened anew', async (client) => {
    await using other = await openLocks(client, server, settings);
    await using locks = await openLocks(client, await place('later'), settings);
    const held = await other.lock('door').acquire();
    await expect(locks.lock('door').acquire()).rejects.toEqual(forbidden('door'));
    await server.command('ACL', 'SETUSER', 'later', '&redisson_*', '&holdfast_*');
    const contended = new Promise<void>((resolve) => void locks.on('contended', () => resolve()));
    const waiting = locks.lock('door').acquire();
    await contended;
    await held.release();
    expect((await waiting).fence).toBeGreaterThan(held.fence);
  });
});
