import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBound } from './bound-program.ts';
import { freeLoopbackPort } from './free-loopback-port.ts';

const CLI = join(dirname(fileURLToPath(import.meta.resolve('holdfast/package.json'))), 'dist/cli/main.js');

export interface DemoDashboard {
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** Starts `holdfast ui`; undefined if this version of the command line has no such verb. */
export async function startDashboard(redisUrl: string): Promise<DemoDashboard | undefined> {
  const asked = promisify(execFile)(process.execPath, [CLI, 'ui', '--help']);
  const hasVerb = await asked.then(
    () => true,
    () => false,
  );
  if (!hasVerb) return undefined;
  const port = String(await freeLoopbackPort());
  const env = { ...process.env, HOLDFAST_URL: redisUrl };
  const { shell, end } = startBound([process.execPath, CLI, 'ui', '--port', port], '', env);
  // What it prints, such as where it is, the demo prints itself; unread, a full pipe would stop it.
  shell.stdout.resume();
  shell.stderr.resume();
  return { url: `http://127.0.0.1:${port}/`, end };
}
