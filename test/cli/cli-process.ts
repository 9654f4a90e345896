import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { waitFor } from '../fixtures/wait-for.ts';

/** Generous, because it only decides how long a failure takes. */
const DEADLINE_MS = 25_000;

/** The command line as it is published. `npm test` builds it. */
export const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CliEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** One real `holdfast`, with whatever it starts. */
export class CliProcess {
  readonly ended: Promise<CliEnd>;
  readonly #process: ChildProcessWithoutNullStreams;
  #stdout = '';
  #stderr = '';

  constructor(program: string, args: readonly string[], { env = {}, input = '' }: CliOptions = {}) {
    // Nothing of the user who runs the tests: neither its address nor its terminal.
    const { HOLDFAST_URL: _url, HOLDFAST_REQUIRE_URL: _require, ...inherited } = process.env;
    this.#process = spawn(program, args, { env: { ...inherited, ...env }, stdio: 'pipe' });
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.#process.stdin.on('error', () => undefined);
    if (input !== '') this.#process.stdin.end(input);
    this.ended = new Promise((resolve, reject) => {
      this.#process.once('error', reject);
      this.#process.once('close', (code, signal) =>
        resolve({ code, signal, stdout: this.#stdout, stderr: this.#stderr }),
      );
    });
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  write(text: string): void {
    this.#process.stdin.write(text);
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Waits until this was said on stdout. */
  async printed(text: string | RegExp): Promise<string> {
    return waitFor(`"${text}" on stdout`, () => this.#find(text, this.#stdout), DEADLINE_MS);
  }

  /** The same on stderr. */
  async said(text: string | RegExp): Promise<string> {
    return waitFor(`"${text}" on stderr`, () => this.#find(text, this.#stderr), DEADLINE_MS);
  }

  /** Throws what there is instead, so that a failure shows what the process said until its end. */
  #find(text: string | RegExp, output: string): string {
    const [found] = new RegExp(text).exec(output) ?? [];
    if (found !== undefined) return found;
    throw new Error(`it has said ${JSON.stringify({ stdout: this.#stdout, stderr: this.#stderr })}`);
  }
}
