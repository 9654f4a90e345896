import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { fastFolder } from '../engines/sqlite/fast-folder.ts';
import { CLI, type CliEnd, type CliOptions, CliProcess } from './cli-process.ts';

/** Each case starts several processes, on cores that it shares with many others. */
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A folder with locks of its own, and the processes that were started there. */
export class Workplace {
  readonly folder = fastFolder();
  readonly url: string;
  readonly #started: CliProcess[] = [];

  constructor(url?: string) {
    this.url = url ?? `sqlite:${join(this.folder, 'locks.db')}`;
  }

  /** Starts `holdfast` with these words. */
  start(args: readonly string[], { env = {}, ...rest }: CliOptions = {}): CliProcess {
    return this.#add(
      new CliProcess(process.execPath, [CLI, ...args], { env: { ...this.#env, ...env }, ...rest }),
    );
  }

  /** The same to its end. */
  run(args: readonly string[], options?: CliOptions): Promise<CliEnd> {
    return this.start(args, options).ended;
  }

  /** Starts a line of sh, in which "$HF" is the command line. */
  shell(line: string, { env = {}, ...rest }: CliOptions = {}): CliProcess {
    return this.#add(
      new CliProcess('sh', ['-c', line], {
        env: { ...this.#env, HF: `${process.execPath} ${CLI}`, ...env },
        ...rest,
      }),
    );
  }

  file(name: string): string {
    return join(this.folder, name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#started) one.kill('SIGKILL');
    await Promise.allSettled(this.#started.map(({ ended }) => ended));
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #env(): NodeJS.ProcessEnv {
    return { HOLDFAST_URL: this.url, PLACE: this.folder, XDG_STATE_HOME: this.folder };
  }

  #add(one: CliProcess): CliProcess {
    this.#started.push(one);
    return one;
  }
}
