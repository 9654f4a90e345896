import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Contest, Fleet } from './contest.ts';

const target = new URL('.build/interop/redisson-4/target/', import.meta.resolve('holdfast/package.json'));
const MAIN = 'holdfast.interop.redisson.RedissonProgram';
/** Until all processes have heard when to start. */
const START_IN_MS = 100;

export function javaIsBuilt(): boolean {
  return existsSync(target);
}

/** Processes that use Redisson with nothing set but the address, see test/interop/java. */
export async function javaFleet(port: number, { processes, workers, kind }: Contest): Promise<Fleet> {
  const all = await Promise.all(Array.from({ length: processes }, () => Jvm.start(port)));
  return {
    round: async (roundMs) => {
      const fromMs = Date.now() + START_IN_MS;
      const shift = {
        task: 'pairs',
        kind,
        name: 'java',
        threads: workers,
        fromMs,
        untilMs: fromMs + roundMs,
      };
      const counts = await Promise.all(all.map((jvm) => jvm.ask(shift)));
      return counts.flat().reduce((sum, count) => sum + count, 0);
    },
    close: async () => {
      for (const jvm of all) jvm.close();
    },
  };
}

class Jvm {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: Interface;

  private constructor(port: number) {
    const plan = JSON.stringify([{ place: { port } }]);
    const path = [new URL('redisson-4-1.jar', target), new URL('lib/*', target)].map((url) =>
      fileURLToPath(url),
    );
    const argv = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', path.join(delimiter), MAIN, plan];
    this.#child = spawn('java', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#child.stdout });
  }

  static async start(port: number): Promise<Jvm> {
    const jvm = new Jvm(port);
    await jvm.#line();
    return jvm;
  }

  /** How often each of its threads had the lock. */
  async ask(shift: object): Promise<readonly number[]> {
    this.#child.stdin.write(`${JSON.stringify({ id: 1, thread: 'bench', ...shift })}\n`);
    const answer = JSON.parse(await this.#line()) as { value?: number[]; message?: string };
    if (answer.value === undefined) throw new Error(`Redisson failed: ${answer.message}`);
    return answer.value;
  }

  /** It ends when nobody can tell it anything any more. */
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
