import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBound } from './bound-program.ts';
import { freeLoopbackPort } from './free-loopback-port.ts';

const PATIENCE_MS = 15_000;

export interface DemoRedis {
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** Starts a Redis that keeps nothing on disk, on a free port of the loopback. */
export async function startRedis(): Promise<DemoRedis> {
  const port = String(await freeLoopbackPort());
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fleet-'));
  const binary = process.env.HOLDFAST_REDIS_SERVER ?? 'redis-server';
  const settings = [
    '--port',
    port,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const { shell, end } = startBound([binary, ...settings], folder);
  let log = '';
  const isReady = await new Promise<boolean>((resolve) => {
    const patience = setTimeout(() => resolve(false), PATIENCE_MS);
    const read = (text: Buffer): void => {
      log += String(text);
      const serves = log.includes('Ready to accept connections');
      if (!serves && !/not found|Failed listening|FATAL/i.test(log)) return;
      clearTimeout(patience);
      resolve(serves);
    };
    shell.stdout.on('data', read);
    shell.stderr.on('data', read);
  });
  if (isReady) return { url: `redis://127.0.0.1:${port}`, end };
  await end();
  throw new Error(
    `Redis did not start. Is redis-server installed? HOLDFAST_REDIS_SERVER names another one.\n${log}`,
  );
}
