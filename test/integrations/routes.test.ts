import { once } from 'node:events';
import { type ClientRequest, request as send, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { connect, isHoldfastError, type Locks } from 'holdfast';
import { lockRoute as lockExpress } from 'holdfast/express';
import { lockRoute as lockFastify, lockRoutes, type RouteSection, sectionOf } from 'holdfast/fastify';
import { memory } from 'holdfast/memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';

type Work = (signal: AbortSignal, id: string) => Promise<string> | string;
/** What a request goes through before its route, such as a session that is read from a database. */
type Before = (response: ServerResponse) => Promise<unknown>;

interface Frame {
  readonly url: string;
  close(): Promise<void>;
}

let locks: Pick<Locks, 'lock' | 'close'>;
let work: Work;
let before: Before;
/** How many requests have asked for their lock. */
let asked: number;
let frame: Frame;
let waitMs: number;

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function openExpress(): Promise<Frame> {
  const app = express();
  app.use((_request, response, next) => void before(response).then(() => next(), next));
  app.post(
    '/orders/:id/ship',
    lockExpress(
      (request: express.Request<{ id: string }>) => lockOf(request.params.id),
      async (request, response: express.Response, { signal, hold }) => {
        response.json({ shipped: await work(signal, request.params.id), fence: Number(hold.fence) });
      },
      { timeoutMs: waitMs, retryAfterSeconds: 3 },
    ),
  );
  app.use(((error: Error, _request, response, _next) => {
    response.status(500).json({ message: error.message });
  }) as express.ErrorRequestHandler);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { url: urlOf(server), close: () => new Promise((done) => void server.close(() => done())) };
}

async function openFastify(): Promise<Frame> {
  const app = fastify();
  app.addHook('preHandler', async (_request, reply) => void (await before(reply.raw)));
  app.post<{ Params: { id: string } }>(
    '/orders/:id/ship',
    lockFastify(
      (request) => lockOf(request.params.id),
      async (request, _reply, { signal, hold }) => ({
        shipped: await work(signal, request.params.id),
        fence: Number(hold.fence),
      }),
      { timeoutMs: waitMs, retryAfterSeconds: 3 },
    ),
  );
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: urlOf(app.server), close: () => app.close() };
}

async function answerIn({ signal, hold }: RouteSection): Promise<object> {
  return { shipped: await work(signal, '7'), fence: Number(hold.fence) };
}

async function openFastifyPlugin(): Promise<Frame> {
  const app = fastify();
  app.addHook('preHandler', async (_request, reply) => void (await before(reply.raw)));
  await app.register(lockRoutes, {
    lockOf: ({ params }) => lockOf((params as { id: string }).id),
    timeoutMs: waitMs,
    retryAfterSeconds: 3,
  });
  app.post('/orders/:id/ship', (request) => answerIn(sectionOf(request)!));
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: urlOf(app.server), close: () => app.close() };
}

function lockOf(id: string) {
  asked++;
  return locks.lock(`order:${id}`);
}

/** A client that may leave. */
function call(): ClientRequest {
  const client = send(`${frame.url}/orders/7/ship`, { method: 'POST' });
  client.on('error', () => undefined);
  return client.end();
}

const ship = () => fetch(`${frame.url}/orders/7/ship`, { method: 'POST' });

describe.each([
  ['Express', openExpress],
  ['Fastify', openFastify],
  ['Fastify by its plugin', openFastifyPlugin],
])('a locked route of %s', (_name, open) => {
  beforeEach(async () => {
    locks = memory();
    work = () => 'now';
    before = () => Promise.resolve();
    asked = 0;
    waitMs = 50;
    frame = await open();
  });

  afterEach(async () => {
    await frame.close();
    await locks.close();
  });

  test('runs its handler under the lock, and releases it', async () => {
    work = async () => ((await locks.lock('order:7').isLocked()) ? 'locked' : 'open');
    const answer = await ship();
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ shipped: 'locked' });
    expect(await locks.lock('order:7').isLocked()).toBe(false);
  });

  test('answers 409 with Retry-After while another owner has it', async () => {
    const hold = await locks.lock('order:7').acquire();
    const answer = await ship();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([409, '3']);
    expect(await answer.json()).toEqual({ code: 'ACQUIRE_TIMEOUT' });
    await hold.release();
    expect((await ship()).status).toBe(200);
  });

  test('answers 503 with Retry-After when the locks are closed', async () => {
    await locks.close();
    const answer = await ship();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3']);
    expect(await answer.json()).toEqual({ code: 'CLOSED' });
  });

  test('passes on what the handler throws, and releases the lock', async () => {
    work = () => {
      throw new Error('no stock');
    };
    const answer = await ship();
    expect(answer.status).toBe(500);
    expect(await answer.json()).toMatchObject({ message: 'no stock' });
    expect(await locks.lock('order:7').isLocked()).toBe(false);
  });

  test('tells the handler that its client went away, and holds the lock until the handler is done', async () => {
    let ended: () => void = () => undefined;
    let heard = false;
    work = (signal) =>
      new Promise((resolve) => {
        ended = () => resolve('too late');
        signal.addEventListener('abort', () => void (heard = true));
      });
    const client = call();
    await waitFor('the handler runs', () => locks.lock('order:7').isLocked());
    client.destroy();
    await waitFor('the handler hears of it', () => heard);
    expect(await locks.lock('order:7').isLocked()).toBe(true);
    ended();
    await waitFor('the lock is free', async () => !(await locks.lock('order:7').isLocked()));
  });

  test('stops to wait when the client goes away', async () => {
    await frame.close();
    waitMs = 60_000;
    let entered = 0;
    work = () => String(++entered);
    frame = await open();
    const hold = await locks.lock('order:7').acquire();
    const waiting = async (count: number) => (await locks.lock('order:7').waiters()) === count;
    const client = call();
    await waitFor('the request waits', () => waiting(1));
    client.destroy();
    await waitFor('the request waits no more', () => waiting(0));
    await hold.release();
    expect(entered).toBe(0);
  });

  // The race: no listener hears of a connection that ended before it was added.
  test('asks for no lock for a client that went away before its route began', async () => {
    let entered = 0;
    work = () => String(++entered);
    let hasArrived = false;
    before = async (response) => {
      hasArrived = true;
      await once(response, 'close');
    };
    const client = call();
    await waitFor('the request arrives', () => hasArrived);
    client.destroy();
    await waitFor('the route begins without its client', () => asked === 1);
    // Behind the request, if it has the lock.
    await locks.lock('order:7').run(() => undefined);
    expect(entered).toBe(0);
  });

  test('tells the handler that its hold is lost, and not that its client went away', async () => {
    let reason: unknown;
    work = async (signal) => {
      await locks.lock('order:7').forceRelease();
      await waitFor('the handler hears of the loss', () => signal.aborted);
      reason = signal.reason;
      return 'too late';
    };
    const answer = await ship();
    expect(isHoldfastError(reason) && reason.code).toBe('LEASE_LOST');
    // Express' handler has answered before the loss can be an error of the request.
    expect([200, 500]).toContain(answer.status);
  });

  test('passes on an error of another lock that the handler wants', async () => {
    const other = await locks.lock('stock').acquire();
    work = async () => {
      await locks.lock('stock').acquire({ timeoutMs: 1 });
      return 'never';
    };
    expect((await ship()).status).toBe(500);
    await other.release();
  });

  test('passes on what is no answer of a store', async () => {
    waitMs = -1;
    await frame.close();
    frame = await open();
    expect((await ship()).status).toBe(500);
  });
});

describeRedis.each([
  ['Express', openExpress],
  ['Fastify', openFastify],
  ['Fastify by its plugin', openFastifyPlugin],
])('a locked route of %s on a real Redis', (_name, open) => {
  test('answers 409 while another process has its lock, and 503 when the server is gone', async () => {
    await using server = await startRedisServer();
    await using other = await connect(server.url);
    locks = await connect(server.url);
    [asked, waitMs] = [0, 300];
    before = () => Promise.resolve();
    work = () => 'now';
    frame = await open();
    try {
      const hold = await other.lock('order:7').acquire();
      expect((await ship()).status).toBe(409);
      await hold.release();
      expect((await ship()).status).toBe(200);
      await server.stop();
      const answer = await ship();
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '3']);
      expect(await answer.json()).toEqual({ code: 'ENGINE' });
    } finally {
      await frame.close();
      await locks.close();
    }
  }, 60_000);
});

describe('a locked route of Express that has sent its response', () => {
  /** What the route's handler has gone through after its response. */
  let later: (signal: AbortSignal, response: ServerResponse) => Promise<void>;
  let errors: unknown[];
  let server: Server;

  beforeEach(async () => {
    locks = memory();
    errors = [];
    const app = express();
    app.post(
      '/',
      lockExpress(
        () => locks.lock('order:7'),
        async (_request, response: express.Response, { signal }) => {
          response.json({ shipped: true });
          await later(signal, response);
        },
      ),
    );
    app.use(
      ((error: Error, _request, _response, _next) => void errors.push(error)) as express.ErrorRequestHandler,
    );
    server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await locks.close();
  });

  test('holds its lock until the handler has settled, and calls no end of a connection a client that went away', async () => {
    let wasAborted: boolean | undefined;
    let isLocked = false;
    let isOver = false;
    later = async (signal, response) => {
      if (!response.closed) await once(response, 'close');
      isLocked = await locks.lock('order:7').isLocked();
      wasAborted = signal.aborted;
      isOver = true;
    };
    expect((await fetch(urlOf(server), { method: 'POST' })).status).toBe(200);
    await waitFor('the handler has settled', () => isOver);
    expect({ isLocked, wasAborted }).toEqual({ isLocked: true, wasAborted: false });
  });

  test('passes on no error, for which there is no response any more', async () => {
    later = () => Promise.reject(new Error('too late'));
    expect((await fetch(urlOf(server), { method: 'POST' })).status).toBe(200);
    await waitFor('the lock is free', async () => !(await locks.lock('order:7').isLocked()));
    await locks.lock('order:7').run(() => undefined);
    expect(errors).toEqual([]);
  });
});
