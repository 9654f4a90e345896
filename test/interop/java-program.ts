import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { isStopped } from '../fixtures/processes/server-process.ts';
import { setWarden } from '../fixtures/processes/warden.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { classPathOf, type JavaModule } from './java-build.ts';

const LOG_CHARACTERS_KEPT = 20_000;
/** For a quick start: these programs live for seconds. */
const QUICK = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Xshare:auto', '-Xmx256m'];
const LOGGING = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';

const MAIN: Readonly<Record<JavaModule, string>> = {
  'redisson-4': 'holdfast.interop.redisson.RedissonProgram',
  'redisson-3': 'holdfast.interop.redisson.RedissonProgram',
  'curator-5-9': 'holdfast.interop.curator.CuratorProgram',
  'curator-5-4': 'holdfast.interop.curator.CuratorProgram',
  'spring-7': 'holdfast.interop.spring.SpringProgram',
  'spring-6': 'holdfast.interop.spring.SpringProgram',
  'spring-jdbc-7': 'holdfast.interop.springjdbc.SpringJdbcProgram',
  'spring-jdbc-6': 'holdfast.interop.springjdbc.SpringJdbcProgram',
};

/** What Java threw. */
export class JavaError extends Error {
  override readonly name = 'JavaError';
  /** The name of its class, without the package. */
  readonly type: string;

  constructor(type: string, message: string) {
    super(`${type}: ${message}`);
    this.type = type;
  }
}

interface Answer {
  readonly id?: number;
  readonly ready?: true;
  readonly value?: unknown;
  readonly error?: string;
  readonly message?: string;
}

interface Asked {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A JVM that carries out one line after the other, see Lines.java. */
export class JavaProgram {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #ended: Promise<unknown>;
  readonly #asked = new Map<number, Asked>();
  #ids = 0;
  #log = '';
  #isReady: () => void = () => undefined;

  private constructor(module: JavaModule, plan: unknown) {
    const argv = [...QUICK, LOGGING, '-cp', classPathOf(module), MAIN[module], JSON.stringify(plan)];
    this.#child = spawn('java', argv, { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#ended = once(this.#child, 'close');
    this.#ended.catch(() => undefined);
    this.#child.stdin.on('error', () => undefined);
    this.#child.stderr.on('data', (bytes) => {
      this.#log = (this.#log + String(bytes)).slice(-LOG_CHARACTERS_KEPT);
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) =>
      this.#hear(JSON.parse(line) as Answer),
    );
    const warden = setWarden(this.#child.pid ?? 0);
    this.#child.once('exit', () => warden.release());
    this.#child.once('close', () => this.#endAll());
  }

  /** `plan` is what it is started with; its form is the program's. */
  static async start(module: JavaModule, plan: unknown): Promise<JavaProgram> {
    const program = new JavaProgram(module, plan);
    const ready = new Promise<void>((resolve) => {
      program.#isReady = resolve;
    });
    await Promise.race([ready, program.#ended]);
    if (!program.isAlive) throw new Error(`${module} ended before it was ready:\n${program.#log}`);
    return program;
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** What the libraries had to say on stderr, latest last. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Resolves to what came of it over there, or rejects with what was thrown. */
  tell(line: object): Promise<unknown> {
    const id = (this.#ids += 1);
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, ...line })}\n`);
    });
  }

  /** Resolves when it stands still: between the signal and that moment its code still runs. */
  async pause(): Promise<void> {
    this.#child.kill('SIGSTOP');
    await waitFor(`the JVM ${this.pid} is stopped`, () => isStopped(this.pid));
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** No code of it runs again. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }

  #hear({ id = 0, ready, value, error, message = '' }: Answer): void {
    if (ready) return this.#isReady();
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if (error === undefined) asked?.resolve(value);
    else asked?.reject(new JavaError(error, message));
  }

  #endAll(): void {
    for (const { reject } of this.#asked.values()) reject(new JavaError('Killed', this.#log));
    this.#asked.clear();
  }
}
