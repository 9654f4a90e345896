import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startExample } from './start-example.ts';

const AT_A_TIME = 3;
const FILES = ['a', 'b', 'c', 'd'];

interface UploadServer {
  readonly url: string;
  /** How many uploads were under way whenever one arrived. */
  readonly underWay: number[];
}

/** Answers no upload before three are under way: with fewer at a time the programs would never end. */
async function startUploadServer(): Promise<UploadServer> {
  const underWay: number[] = [];
  let open: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      open.push(response);
      underWay.push(open.length);
      if (open.length < AT_A_TIME) return;
      const answered = open;
      open = [];
      for (const each of answered) each.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, underWay };
}

describeRedis('three uploads at a time', () => {
  test('three processes with four files each never upload more than three together', async () => {
    await using server = await startRedisServer();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-uploads-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const files = FILES.map((name) => join(folder, name));
    await Promise.all(files.map((file) => writeFile(file, file)));
    const { url, underWay } = await startUploadServer();
    const env = { HOLDFAST_URL: server.url, UPLOAD_URL: url };
    const ends = await Promise.all(
      [1, 2, 3].map(() => startExample('three-uploads-at-a-time', files, env).ended),
    );
    for (const { code, stdout, stderr } of ends) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.trim().split('\n').toSorted()).toEqual(files.map((file) => `uploaded ${file}`));
    }
    expect(underWay).toHaveLength(3 * FILES.length);
    expect(Math.max(...underWay)).toBe(AT_A_TIME);
  });
});
