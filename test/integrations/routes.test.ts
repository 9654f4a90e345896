import { request as send, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import fastify from 'fastify';
import { lockRoute as lockExpress } from 'holdfast/express';
import { lockRoute as lockFastify } from 'holdfast/fastify';
import { memory } from 'holdfast/memory';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../fixtures/wait-for.ts';

type Work = (signal: AbortSignal, id: string) => Promise<string> | string;

interface Frame {
  readonly url: string;
  close(): Promise<void>;
}

let locks: ReturnType<typeof memory>;
let work: Work;
let frame: Frame;
let waitMs: number;

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function openExpress(): Promise<Frame> {
  const app = express();
  app.post(
    '/orders/:id/ship',
    lockExpress(
      (request: express.Request<{ id: string }>) => locks.lock(`order:${request.params.id}`),
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
  app.post<{ Params: { id: string } }>(
    '/orders/:id/ship',
    lockFastify(
      (request) => locks.lock(`order:${request.params.id}`),
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

const ship = () => fetch(`${frame.url}/orders/7/ship`, { method: 'POST' });

describe.each([
  ['Express', openExpress],
  ['Fastify', openFastify],
])('a locked route of %s', (_name, open) => {
  beforeEach(async () => {
    locks = memory();
    work = () => 'now';
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
    const client = send(`${frame.url}/orders/7/ship`, { method: 'POST' });
    client.on('error', () => undefined);
    client.end();
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
    const client = send(`${frame.url}/orders/7/ship`, { method: 'POST' });
    client.on('error', () => undefined);
    client.end();
    await waitFor('the request waits', () => waiting(1));
    client.destroy();
    await waitFor('the request waits no more', () => waiting(0));
    await hold.release();
    expect(entered).toBe(0);
  });
});
