import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Place } from '../place.ts';

/** Below those that systems give to outgoing connections. */
const LOWEST_PORT = 10_000;
const PORTS = 12_000;
const PORT_TRIES = 10;

/** A server that keeps nothing on disk, on a free port of the loopback. It dies with this process. */
export async function startRedis(): Promise<Place> {
  const binary = redisBinary();
  for (let tries = 1; ; tries += 1) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    const started = await tryToStart(binary, port);
    if ('server' in started) return started.server;
    if (!/already in use|Failed listening/.test(started.log) || tries === PORT_TRIES) {
      throw new Error(`redis-server ended before it was ready:\n${started.log}`);
    }
  }
}

async function tryToStart(
  binary: string,
  port: number,
): Promise<{ readonly server: Place } | { readonly log: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  const child = spawn(
    binary,
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '', '--appendonly', 'no'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const release = watchedOver(child, dir);
  const log = await logUntilReady(child);
  if (log !== undefined) {
    release();
    rmSync(dir, { recursive: true, force: true });
    return { log };
  }
  const stop = async (): Promise<void> => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    release();
    rmSync(dir, { recursive: true, force: true });
  };
  return { server: { port, folder: dir, stop } };
}

/** By its own log and not by asking at its port: if another server has that port, the other one would answer. */
function logUntilReady(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let log = '';
    child.once('error', reject);
    child.once('exit', () => resolve(log));
    child.stdout?.on('data', (bytes) => {
      log += String(bytes);
      if (log.includes('Ready to accept connections')) resolve(undefined);
    });
  });
}

/**
 * A shell that waits for a line. If its input ends instead, this process has died, by whatever death, and the shell ends
 * the server: an exit hook would not run after SIGKILL.
 */
function watchedOver({ pid }: ChildProcess, dir: string): () => void {
  const script = 'read -r released || { kill -KILL "$1"; rm -rf "$2"; }';
  const shell = spawn('sh', ['-c', script, 'warden', String(pid), dir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.unref();
  // The pipe to a child is a socket, although its type does not say so.
  const input = shell.stdin as Socket;
  input.unref();
  input.on('error', () => undefined);
  return () => void input.end('released\n');
}

export function redisBinary(): string {
  const named = process.env['HOLDFAST_REDIS_SERVER'];
  if (named) return named;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const found = folders.map((folder) => join(folder, 'redis-server')).find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error('There is no redis-server here. Install one, or name one in HOLDFAST_REDIS_SERVER.');
  }
  return found;
}
