import type { JavaModule } from '../java-build.ts';
import { JavaProgram } from '../java-program.ts';

export type CuratorVersion = Extract<JavaModule, `curator-${string}`>;

/** The name of a unit of time in Java. */
export const MS = 'MILLISECONDS';

/** The recipes that the Java program knows, see Recipes.java. */
export type Recipe =
  | 'mutex'
  | 'revocableMutex'
  | 'readLock'
  | 'writeLock'
  | 'semaphoreMutex'
  | 'semaphore'
  | 'leaderLatch'
  | 'leaderSelector'
  | 'sharedCount'
  | 'multiLock';

/** A path, several paths, or a path with what else the recipe is made with. */
export type Named =
  | string
  | readonly string[]
  | {
      readonly path: string;
      readonly permits?: number;
      readonly id?: string;
      readonly seed?: number;
    };

/** What one client of a JVM is opened with. */
export interface CuratorSettings {
  readonly servers: string;
  readonly sessionMs: number;
  /** Curator's `usingNamespace`. */
  readonly namespace?: string;
  /** `user:password`. Every node that it makes is then for that user alone. */
  readonly digest?: string;
}

/** A JVM with clients of Curator. */
export class Curator {
  readonly #program: JavaProgram;
  #threads = 0;

  private constructor(program: JavaProgram) {
    this.#program = program;
  }

  static async start(version: CuratorVersion, clients: readonly CuratorSettings[]): Promise<Curator> {
    return new Curator(await JavaProgram.start(version, clients));
  }

  get log(): string {
    return this.#program.log;
  }

  /** A thread that nothing else uses, with one of the clients. */
  thread(client = 0): CuratorThread {
    this.#threads += 1;
    return new CuratorThread(this.#program, `thread ${this.#threads}`, client);
  }

  pause(): Promise<void> {
    return this.#program.pause();
  }

  resume(): void {
    this.#program.resume();
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** One Java thread, which is one owner of locks. It does one thing after the other. */
export class CuratorThread {
  readonly #program: JavaProgram;
  readonly #line: { readonly thread: string; readonly client: number };

  constructor(program: JavaProgram, thread: string, client: number) {
    this.#program = program;
    this.#line = { thread, client };
  }

  /** `new InterProcessMutex(client, path).acquire(…)` is `call('mutex', path, 'acquire', …)`. */
  call(
    recipe: Recipe,
    named: Named,
    method: string,
    ...args: readonly (string | number)[]
  ): Promise<unknown> {
    return this.#program.tell({ ...this.#line, recipe, named, method, args });
  }

  /** One of the tasks that are no method of a recipe, see CuratorProgram.java. */
  task(task: 'increment' | 'revoke' | 'delete' | 'states' | 'close', details: object = {}): Promise<unknown> {
    return this.#program.tell({ ...this.#line, task, ...details });
  }

  /** Interrupts what it is doing. */
  async interrupt(): Promise<void> {
    await this.#program.tell({ ...this.#line, interrupt: true });
  }
}
