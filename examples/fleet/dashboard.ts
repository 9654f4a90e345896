import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startBound } from './bound-program.ts';

const CLI = join(dirname(fileURLToPath(import.meta.resolve('holdfast/package.json'))), 'dist/cli/main.js');

const PATIENCE_MS = 15_000;

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
  const env = { ...process.env, HOLDFAST_URL: redisUrl };
  const { shell, end } = startBound([process.execPath, CLI, 'ui', '--port', '0'], '', env);
  // Both are read to their ends: a full pipe would stop it.
  let printed = '';
  shell.stderr.on('data', (text: Buffer) => (printed += String(text)));
  const url = await new Promise<string | undefined>((resolve) => {
    const patience = setTimeout(resolve, PATIENCE_MS, undefined);
    shell.stdout.on('data', (text: Buffer) => {
      printed += String(text);
      const [address] = /http:\/\/\S+/.exec(printed) ?? [];
      if (address === undefined) return;
      clearTimeout(patience);
      resolve(address);
    });
  });
  if (url !== undefined) return { url, end };
  await end();
  throw new Error(`The dashboard did not start.\n${printed}`);
}
