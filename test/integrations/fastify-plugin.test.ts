import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { dashboard } from 'holdfast/dashboard';
import { lockRoutes, sectionOf } from 'holdfast/fastify';
import { memory } from 'holdfast/memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../fixtures/wait-for.ts';

let locks: ReturnType<typeof memory>;
let app: FastifyInstance;

beforeEach(() => {
  locks = memory();
  app = fastify();
});

afterEach(async () => {
  await app.close();
  await locks.close();
});

describe('the plugin lockRoutes', () => {
  const lockOf = () => locks.lock('orders');
  const get = (url: string) => app.inject({ method: 'GET', url });

  test('locks the routes of its context and of those inside, and no others', async () => {
    const isLocked = async () => ({ isLocked: await locks.lock('orders').isLocked() });
    await app.register(async (orders) => {
      await orders.register(lockRoutes, { lockOf });
      orders.get('/inside', isLocked);
      await orders.register(async (deeper) => void deeper.get('/deeper', isLocked));
    });
    app.get('/beside', isLocked);
    expect((await get('/inside')).json()).toEqual({ isLocked: true });
    expect((await get('/deeper')).json()).toEqual({ isLocked: true });
    expect((await get('/beside')).json()).toEqual({ isLocked: false });
    expect(await locks.lock('orders').isLocked()).toBe(false);
  });

  test('takes the locks of both contexts, where one is inside the other', async () => {
    await app.register(lockRoutes, { lockOf });
    await app.register(async (inner) => {
      await inner.register(lockRoutes, { lockOf: () => locks.lock('stock') });
      inner.get('/x', () => Promise.all(['orders', 'stock'].map((name) => locks.lock(name).isLocked())));
    });
    expect((await get('/x')).json()).toEqual([true, true]);
  });

  test('locks a request for the head of a page once', async () => {
    let asked = 0;
    await app.register(lockRoutes, {
      lockOf: () => {
        asked += 1;
        return lockOf();
      },
    });
    app.get('/page', async () => 'text');
    expect((await app.inject({ method: 'HEAD', url: '/page' })).statusCode).toBe(200);
    expect(asked).toBe(1);
  });

  test('leaves alone a request that needs no lock, and one without a route', async () => {
    await app.register(lockRoutes, { lockOf: ({ method }) => (method === 'GET' ? undefined : lockOf()) });
    app.all('/x', (request) => Promise.resolve({ hasSection: sectionOf(request) !== undefined }));
    await using hold = await locks.lock('orders').acquire();
    expect((await get('/x')).json()).toEqual({ hasSection: false });
    expect((await app.inject({ method: 'POST', url: '/x' })).statusCode).toBe(409);
    expect((await get('/nowhere')).statusCode).toBe(404);
    hold.throwIfLost();
  });

  test('calls a handler with its instance, and lets it re-enter', async () => {
    app.decorate('greeting', 'hello');
    await app.register(lockRoutes, { lockOf });
    app.get('/x', async function (this: FastifyInstance & { greeting?: string }) {
      await locks.lock('orders').run(() => undefined);
      return { greeting: this.greeting };
    });
    expect((await get('/x')).json()).toEqual({ greeting: 'hello' });
  });

  test('holds the lock of a handler with a callback until its response is sent', async () => {
    let answer: () => unknown = () => undefined;
    await app.register(lockRoutes, { lockOf });
    app.get('/x', (_request, reply) => {
      answer = () => reply.send({ sent: true });
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const [{ port }] = app.addresses() as AddressInfo[] as [AddressInfo];
    const asked = fetch(`http://127.0.0.1:${port}/x`);
    await waitFor('the handler runs', () => locks.lock('orders').isLocked());
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect(await locks.lock('orders').isLocked()).toBe(true);
    answer();
    expect(await (await asked).json()).toEqual({ sent: true });
    await waitFor('the lock is free', async () => !(await locks.lock('orders').isLocked()));
  });

  // The race: a route that is declared before the plugin is loaded would run without its lock.
  test('refuses a request for a route that was declared before the plugin was loaded', async () => {
    let entered = 0;
    void app.register(lockRoutes, { lockOf });
    app.get('/early', async () => String(++entered));
    const answer = await get('/early');
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({
      message: expect.stringContaining('await app.register(lockRoutes'),
    });
    expect(entered).toBe(0);
  });

  test('refuses to be registered without a function that names the lock', async () => {
    const options = {} as { lockOf: typeof lockOf };
    await expect(async () => app.register(lockRoutes, options)).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
      message: expect.stringContaining('lockOf'),
    });
  });
});

describe('a dashboard that is a plugin', () => {
  test('has the hooks of the application around it, such as a login, and adds none', async () => {
    const board = dashboard(locks, { basePath: '/internal/locks' });
    await app.register(async (internal) => {
      internal.addHook('onRequest', async (request, reply) =>
        request.headers.authorization === 'yes' ? undefined : reply.code(401).send(),
      );
      await internal.register(board.fastify);
    });
    app.get('/internal/locksmith', async () => 'another');
    const ask = (url: string, headers = {}) => app.inject({ url, headers });
    expect((await ask('/internal/locks/snapshot')).statusCode).toBe(401);
    expect((await ask('/internal/locks/snapshot', { authorization: 'yes' })).statusCode).toBe(200);
    expect((await ask('/internal/locks', { authorization: 'yes' })).headers.location).toBe('locks/');
    expect((await ask('/internal/locksmith')).body).toBe('another');
  });

  test('stands at the root, and below the prefix of its context', async () => {
    await app.register(dashboard(locks).fastify);
    await app.register(
      async (internal) => internal.register(dashboard(locks, { basePath: '/a/b' }).fastify),
      { prefix: '/a' },
    );
    for (const url of ['/', '/snapshot', '/a/b/', '/a/b/snapshot'])
      expect([url, (await app.inject({ url })).statusCode]).toEqual([url, 200]);
  });

  test('refuses another prefix than that of its path', async () => {
    const board = dashboard(locks, { basePath: '/locks' });
    await expect(async () => app.register(board.fastify, { prefix: '/internal' })).rejects.toMatchObject({
      code: 'BAD_ARGUMENT',
      message: expect.stringContaining('Give the whole path as basePath'),
    });
  });

  test('ends its streams when the application closes', async () => {
    const board = dashboard(locks);
    await app.register(board.fastify);
    await app.listen({ port: 0, host: '127.0.0.1' });
    const [{ port }] = app.addresses() as AddressInfo[] as [AddressInfo];
    const stream = await fetch(`http://127.0.0.1:${port}/events`);
    expect(board.viewers).toBe(1);
    await app.close();
    await stream.text();
    expect(board.viewers).toBe(0);
  });
});
