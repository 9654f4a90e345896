import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { sqlite, type SqliteSynchronizers } from 'holdfast/sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FrameStream } from '../dashboard/frame-stream.ts';
import type { SentSighting } from '../../src/dashboard/frames.ts';
import type { CliProcess } from './cli-process.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;
let locks: SqliteSynchronizers;

beforeAll(() => {
  place = new Workplace();
  locks = sqlite({ file: place.file('locks.db') });
});

afterAll(async () => {
  await locks.close();
  await place[Symbol.asyncDispose]();
});

async function open(...args: string[]): Promise<{ ui: CliProcess; url: string; token: string | undefined }> {
  const ui = place.start(['ui', '--port', '0', '--every', '100ms', ...args]);
  onTestFinished(() => ui.kill('SIGKILL'));
  const [url = '', token] = (await ui.printed(/http:\/\/\S+\n/)).trim().split('#token=');
  return { ui, url, token };
}

const rowsAt = async (url: string, headers: Record<string, string> = {}) =>
  ((await (await fetch(`${url}snapshot`, { headers })).json()) as { rows: readonly SentSighting[] }).rows;

const releasePath = ({ kind, name, holders: [holder] }: SentSighting) =>
  `release?${new URLSearchParams({ kind, name, owner: holder!.owner, fence: holder!.fence! }).toString()}`;

test('prints an address of this machine, and shows there what is held', async () => {
  const { ui, url, token } = await open();
  expect([url, token]).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/), undefined]);
  await ui.said('only reads');
  expect(await (await fetch(url)).text()).toContain('app.js');
  await using hold = await locks.lock('orders:7').acquire();
  const [row] = await rowsAt(url);
  expect(row).toMatchObject({ name: 'orders:7', holders: [{ fence: String(hold.fence) }] });
  const headers = { 'x-holdfast-release': '1', authorization: 'Bearer x' };
  expect((await fetch(url + releasePath(row!), { method: 'POST', headers })).status).toBe(403);
  hold.throwIfLost();
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'ends with 0 by %s, while a page views',
  async (signal) => {
    const { ui, url } = await open();
    const stream = new FrameStream(await fetch(`${url}events`));
    await using hold = await locks.lock('viewed').acquire();
    expect((await stream.shows('viewed')).holders[0]!.fence).toBe(String(hold.fence));
    ui.kill(signal);
    expect(await ui.ended).toMatchObject({ code: 0, signal: null });
  },
);

test('with --allow-release ends a hold for a client with the token, which is in one line and nowhere else', async () => {
  const { ui, url, token } = await open('--allow-release');
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  const hold = await locks.lock('stuck').acquire();
  const row = (await rowsAt(url)).find(({ name }) => name === 'stuck')!;
  const post = (authorization: string) =>
    fetch(url + releasePath(row), { method: 'POST', headers: { 'x-holdfast-release': '1', authorization } });
  expect((await post('Bearer another-token-of-length')).status).toBe(401);
  expect((await post(`Bearer ${token}`)).status).toBe(200);
  expect((await post(`Bearer ${token}`)).status).toBe(409);
  expect(await locks.lock('stuck').isLocked()).toBe(false);
  await hold.release().catch(() => undefined);
  expect(readFileSync(`/proc/${ui.pid}/cmdline`, 'latin1')).not.toContain(token);
  expect(readFileSync(`/proc/${ui.pid}/environ`, 'latin1')).not.toContain(token);
  ui.kill('SIGTERM');
  const { stdout, stderr } = await ui.ended;
  expect([stdout.split(token!).length - 1, stderr.includes(token!)]).toEqual([1, false]);
});

test('does not answer for another name, which a site may have given to this machine', async () => {
  const { url } = await open();
  const { port } = new URL(url);
  // `fetch` sets the header `host` itself.
  const { request } = await import('node:http');
  const status = await new Promise((resolve, reject) => {
    request({ port, path: '/snapshot', headers: { host: `evil.example:${port}` } }, (answer) =>
      resolve(answer.resume().statusCode),
    )
      .once('error', reject)
      .end();
  });
  expect(status).toBe(421);
});

test('at another address than loopback shows nothing without the token', async () => {
  const { url, token } = await open('--host', '0.0.0.0');
  expect(token).toMatch(/^[0-9a-f]{32}$/);
  const { port } = new URL(url);
  const outer = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal);
  const base = `http://${outer?.address ?? '127.0.0.1'}:${port}/`;
  expect((await fetch(base)).status).toBe(200);
  expect((await fetch(`${base}snapshot`)).status).toBe(401);
  expect((await fetch(`${base}snapshot`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(
    200,
  );
});

test('a prefix shows only its names', async () => {
  const { url } = await open('orders:');
  await using one = await locks.lock('orders:8').acquire();
  await using two = await locks.lock('stock').acquire();
  expect((await rowsAt(url)).map(({ name }) => name)).toEqual(['orders:8']);
  expect(one.fence > 0n && two.fence > 0n).toBe(true);
});

test('a port that is taken, a wrong port, and a store that is not there say so', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const busy = await place.run(['ui', '--port', String(port)]);
  expect([busy.code, busy.stderr]).toEqual([64, expect.stringContaining(`port ${port}`)]);
  expect(busy.stderr).toContain('--port 0');
  expect((await place.run(['ui', '--port', 'http'])).code).toBe(64);
  expect((await place.run(['ui', 'a', 'b'])).code).toBe(64);
  const misspelt = await place.run(['ui', '--alow-release']);
  expect([misspelt.code, misspelt.stderr]).toEqual([64, expect.stringContaining('--allow-release')]);
  const away = await place.run(['ui', '--port', '0', '--url', 'redis://127.0.0.1:1']);
  expect([away.code, away.stdout]).toEqual([69, '']);
});
