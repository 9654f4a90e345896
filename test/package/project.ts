import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { installProject, packTarball } from '../../scripts/package/projects.mjs';

type Versions = Readonly<Record<string, string>>;

/** A project of a user, in a folder of its own outside of the repository, with the packed package installed. */
export class Project {
  readonly folder: string;

  constructor(name: string, dependencies: Versions = {}, manifest: object = {}) {
    const holdfast = `file:${packTarball()}`;
    this.folder = installProject(name, { holdfast, ...dependencies }, manifest);
  }

  write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs a script of a package by this Node, and answers what it prints on both streams. */
  node(...args: readonly string[]): Promise<string> {
    return runIn(this.folder, process.execPath, args);
  }

  npm(...args: readonly string[]): Promise<string> {
    return runIn(this.folder, 'npm', args);
  }
}

/** Runs a program; if it fails, so does the test, with all that it printed. */
export async function runIn(folder: string, program: string, args: readonly string[]): Promise<string> {
  // What vitest tells its processes is not for those of a user.
  const { NODE_ENV: _env, VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  try {
    const { stdout, stderr } = await promisify(execFile)(program, args, { cwd: folder, env });
    return stripVTControlCharacters(stdout + stderr);
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    return expect.fail(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  }
}
