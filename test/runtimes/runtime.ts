import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import type { Runtime } from '../../scripts/package/runtimes.mjs';

/** What a program printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a file by a runtime, as a user would in the folder of a project. A program that does not end by itself is killed. */
export async function runBy(
  { program, words }: Runtime,
  folder: string,
  args: readonly string[],
  timeout = 120_000,
): Promise<Ended> {
  // What vitest tells its processes is not for those of a user.
  const { NODE_ENV: _env, VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  try {
    const { stdout, stderr } = await promisify(execFile)(program, [...words, ...args], {
      cwd: folder,
      env,
      timeout,
      killSignal: 'SIGKILL',
    });
    return { code: 0, stdout: stripVTControlCharacters(stdout), stderr: stripVTControlCharacters(stderr) };
  } catch (error) {
    // Without a code if a signal ended it.
    const { code, stdout, stderr } = error as Omit<Ended, 'code'> & { readonly code: number | null };
    return { code: code ?? -1, stdout, stderr: stripVTControlCharacters(stderr) };
  }
}
