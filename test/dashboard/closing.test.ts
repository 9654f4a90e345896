import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dashboard } from 'holdfast/dashboard';
import { memory } from 'holdfast/memory';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitFor } from '../fixtures/wait-for.ts';

vi.setConfig({ testTimeout: 60_000 });

/** As a page: asks again as soon as an answer is over, on the connection that it has, until the server listens no more. */
class TirelessPage {
  readonly statuses: number[] = [];
  isOver = false;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;
  readonly #path: string;

  constructor(server: Server, path: string) {
    this.#port = (server.address() as AddressInfo).port;
    this.#path = path;
    this.#ask();
  }

  stop(): void {
    this.isOver = true;
    this.#agent.destroy();
  }

  #ask(): void {
    const asked = request({ port: this.#port, path: this.#path, agent: this.#agent }, (answer) => {
      this.statuses.push(answer.statusCode!);
      answer.resume().once('close', () => {
        if (!this.isOver) setImmediate(() => this.#ask());
      });
    });
    asked.once('error', () => this.stop()).end();
  }
}

async function stage() {
  const locks = memory();
  const board = dashboard(locks, { everyMs: 100 });
  const server = createServer(board.node).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await locks.close();
  });
  return { board, server };
}

test.each(['/events', '/details?kind=lock&name=a'])(
  'a server closes while a page asks for %s again and again',
  async (path) => {
    const { board, server } = await stage();
    const page = new TirelessPage(server, path);
    onTestFinished(() => page.stop());
    await waitFor('the page has an answer', () => page.statuses.length > 0);
    board.close();
    let isClosed = false;
    server.close(() => {
      isClosed = true;
    });
    await waitFor('the server is closed', () => isClosed, 30_000);
    expect(page.statuses[0]).toBe(200);
    expect(board.viewers).toBe(0);
  },
);

test('a dashboard that is closed begins no other stream', async () => {
  const { board } = await stage();
  board.close();
  const statusOf = async (path: string) => (await board(new Request(`http://localhost${path}`))).status;
  expect([await statusOf('/snapshot'), await statusOf('/events')]).toEqual([200, 503]);
  expect(board.viewers).toBe(0);
});

test('a page that goes away views no more', async () => {
  const { board, server } = await stage();
  const { port } = server.address() as AddressInfo;
  const asked = request({ port, path: '/events' }).end();
  asked.once('error', () => undefined);
  await waitFor('the page views', () => board.viewers === 1);
  asked.destroy();
  expect(await waitFor('no page views', () => board.viewers === 0)).toBe(true);
});
