import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** The Java programs that are measured, and where each begins; see test/interop/java. */
const MAIN = {
  'redisson-4': 'holdfast.interop.redisson.RedissonProgram',
  'curator-5-9': 'holdfast.interop.curator.CuratorProgram',
} as const;

export type JavaProgramName = keyof typeof MAIN;

export function javaIsBuilt(program: JavaProgramName): boolean {
  return existsSync(targetOf(program));
}

/** The version in the name of the jar that Java loads; undefined where the program is not built. */
export function jarVersion(program: JavaProgramName, artifact: string): string | undefined {
  if (!javaIsBuilt(program)) return undefined;
  const jar = readdirSync(new URL('lib/', targetOf(program))).find((name) => name.startsWith(`${artifact}-`));
  return /-(\d[^-]*)\.jar$/.exec(jar ?? '')?.[1];
}

/**
 * A Java program that carries out lines, with the compiler and the collector that Java chooses by itself: the tests start
 * theirs with less, because a test is over before a compiler is of use.
 */
export class Jvm {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  private constructor(program: JavaProgramName, plan: unknown) {
    const target = targetOf(program);
    const path = [new URL(`${program}-1.jar`, target), new URL('lib/*', target)].map((url) =>
      fileURLToPath(url),
    );
    const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';
    const argv = [quiet, '-cp', path.join(delimiter), MAIN[program], JSON.stringify(plan)];
    this.#child = spawn('java', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  static async start(program: JavaProgramName, plan: unknown): Promise<Jvm> {
    if (!javaIsBuilt(program))
      throw new Error('The Java programs are not built: a JDK and Maven are needed.');
    const jvm = new Jvm(program, plan);
    await jvm.#line();
    return jvm;
  }

  /** Sends one line, and resolves to its answer. */
  async ask<Value>(line: object): Promise<Value> {
    this.#child.stdin.write(`${JSON.stringify({ id: 1, thread: 'bench', ...line })}\n`);
    const answer = JSON.parse(await this.#line()) as { value?: Value; message?: string };
    if (answer.value === undefined) throw new Error(`Java failed: ${answer.message}`);
    return answer.value;
  }

  /** Ends the input: the program ends with its last line. */
  close(): void {
    this.#child.stdin.end();
  }

  #line(): Promise<string> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('The JVM has ended.'));
      this.#child.once('exit', ended);
      this.#lines.once('line', (line) => {
        this.#child.off('exit', ended);
        resolve(line);
      });
    });
  }
}

function targetOf(program: JavaProgramName): URL {
  return new URL(`.build/interop/${program}/target/`, import.meta.resolve('holdfast/package.json'));
}
