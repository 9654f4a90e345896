// oxlint-disable-next-line import/no-unassigned-import -- Nest reads what it adds to Reflect.
import 'reflect-metadata';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { dashboard, type Dashboard } from 'holdfast/dashboard';
import { memory } from 'holdfast/memory';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { nodeListener } from '../../src/dashboard/node-listener.ts';
import type { SentSighting } from '../../src/dashboard/frames.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { FrameStream } from './frame-stream.ts';

// Thousands of locks, or several servers, on cores that are shared with many other tests.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

interface Frame {
  readonly url: string;
  close(): Promise<unknown>;
}

const listening = async (server: Server): Promise<string> => {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** The `fetch` of Node keeps a connection open after it has ended a stream: no server would close before that is over. */
const closing = (server: Server) => () =>
  new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });

async function onNode(board: Dashboard): Promise<Frame> {
  const server = createServer(board.node);
  return { url: await listening(server.listen(0, '127.0.0.1')), close: closing(server) };
}

async function onExpress(board: Dashboard): Promise<Frame> {
  const app = express();
  app.use(express.json());
  app.use('/internal/locks', board.node);
  const server = app.listen(0, '127.0.0.1');
  return { url: await listening(server), close: closing(server) };
}

async function onFastify(board: Dashboard): Promise<Frame> {
  const app = fastify({ forceCloseConnections: true });
  app.all('/internal/locks*', (request, reply) => {
    reply.hijack();
    board.node(request.raw, reply.raw);
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: await listening(app.server), close: () => app.close() };
}

async function onFastifyPlugin(board: Dashboard): Promise<Frame> {
  const app = fastify({ forceCloseConnections: true });
  await app.register(board.fastify, { prefix: '/internal/locks' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { url: await listening(app.server), close: () => app.close() };
}

async function onHono(board: Dashboard): Promise<Frame> {
  const app = new Hono();
  app.all('/internal/locks', (c) => board(c.req.raw));
  app.all('/internal/locks/*', (c) => board(c.req.raw));
  const server = createServer(nodeListener(async (request) => app.fetch(request)));
  return { url: await listening(server.listen(0, '127.0.0.1')), close: closing(server) };
}

class AppModule {
  readonly isThere = true;
}
Module({})(AppModule);

async function onNest(board: Dashboard): Promise<Frame> {
  const app = await NestFactory.create(AppModule, { logger: false, forceCloseConnections: true });
  app.use('/internal/locks', board.node);
  await app.listen(0, '127.0.0.1');
  return { url: await listening(app.getHttpServer() as Server), close: () => app.close() };
}

describe.each([
  ["Node's own server", onNode],
  ['Express', onExpress],
  ['Fastify', onFastify],
  ['Fastify, as a plugin', onFastifyPlugin],
  ['Hono', onHono],
  ['Nest', onNest],
])('a dashboard in %s', (_name, open) => {
  let locks: ReturnType<typeof memory>;
  let board: Dashboard;
  let frame: Frame;
  let base: string;

  beforeEach(async () => {
    locks = memory();
    const authorize = (request: Request) => request.headers.get('cookie') === 'session=operator';
    board = dashboard(locks, { basePath: '/internal/locks', everyMs: 100, allowRelease: { authorize } });
    frame = await open(board);
    base = `${frame.url}/internal/locks/`;
  });

  afterEach(async () => {
    board.close();
    await frame.close();
    await locks.close();
  });

  test('has its page, and leads there', async () => {
    const page = await fetch(base.slice(0, -1));
    expect([page.status, page.url]).toEqual([200, base]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await page.text()).toContain('src="app.js"');
    const script = await fetch(`${base}app.js`);
    expect([script.status, script.headers.get('content-encoding')]).toEqual([200, 'gzip']);
    expect(await script.text()).toContain('x-holdfast-release');
  });

  test('streams, and stops to look when the page goes away', async () => {
    const stream = new FrameStream(await fetch(`${base}events`));
    const hold = await locks.lock('orders:7').acquire();
    await stream.shows('orders:7');
    await hold.release();
    await stream.hides('orders:7');
    expect(board.viewers).toBe(1);
    await stream.close();
    await waitFor('no page views', () => board.viewers === 0);
  });

  test('ends a hold by force for whom the application lets', async () => {
    const hold = await locks.lock('orders:7').acquire();
    const { rows } = (await (await fetch(`${base}snapshot`)).json()) as { rows: readonly SentSighting[] };
    const { kind, name, holders } = rows[0]!;
    const query = new URLSearchParams({ kind, name, owner: holders[0]!.owner, fence: holders[0]!.fence! });
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${base}release?${query.toString()}`, { method: 'POST', headers })).status;
    const own = { 'x-holdfast-release': '1', origin: frame.url };
    expect(await post(own)).toBe(403);
    expect(await post({ ...own, origin: 'http://evil.example', cookie: 'session=operator' })).toBe(403);
    hold.throwIfLost();
    expect(await post({ ...own, cookie: 'session=operator' })).toBe(200);
    expect(hold.lost.aborted).toBe(true);
  });

  test('ends its streams, so that the server can close', async () => {
    const stream = new FrameStream(await fetch(`${base}events`));
    await waitFor('the page views', () => stream.frames.length > 0);
    board.close();
    await waitFor('the stream ends', () => stream.isOver);
    expect(board.viewers).toBe(0);
  });
});
