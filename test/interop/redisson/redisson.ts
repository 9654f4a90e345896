import { JavaProgram } from '../java-program.ts';
import type { Place } from '../../faults/redis/open-locks.ts';

export type RedissonVersion = 'redisson-4' | 'redisson-3';

/** Of one Redisson client, by the names of its own settings. */
export interface RedissonSettings {
  readonly lockWatchdogTimeout?: number;
  readonly fairLockWaitTimeout?: number;
}

export type RedissonObject =
  | 'lock'
  | 'fairLock'
  | 'fencedLock'
  | 'spinLock'
  | 'readLock'
  | 'writeLock'
  | 'semaphore'
  | 'permitSemaphore'
  | 'latch'
  | 'multiLock'
  | 'nonReentrantLock'
  | 'nonReentrantFairLock';

/** Arguments in the form of Reflected.java. */
export type JavaArgument = number | string | readonly string[] | { readonly ms: number };

export const MS = 'MILLISECONDS';

/** A JVM with one or more Redisson clients in it. */
export class Redisson {
  readonly #program: JavaProgram;
  #threads = 0;

  private constructor(program: JavaProgram) {
    this.#program = program;
  }

  static async start(
    version: RedissonVersion,
    place: Place,
    clients: readonly RedissonSettings[] = [{}],
  ): Promise<Redisson> {
    const plan = clients.map((settings) => ({ place, fewConnections: true, ...settings }));
    return new Redisson(await JavaProgram.start(version, plan));
  }

  get log(): string {
    return this.#program.log;
  }

  /** A thread that nothing else uses, with one of the clients. */
  thread(client = 0): RedissonThread {
    this.#threads += 1;
    return new RedissonThread(this.#program, `thread ${this.#threads}`, client);
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** One Java thread, which is one owner of locks. It does one thing after the other. */
export class RedissonThread {
  readonly #program: JavaProgram;
  readonly #line: { readonly thread: string; readonly client: number };

  constructor(program: JavaProgram, thread: string, client: number) {
    this.#program = program;
    this.#line = { thread, client };
  }

  /** `redisson.getFairLock(name).tryLock(…)` is `call('fairLock', name, 'tryLock', …)`. */
  call(
    object: RedissonObject,
    name: string | readonly string[],
    method: string,
    ...args: readonly JavaArgument[]
  ): Promise<unknown> {
    return this.#program.tell({ ...this.#line, object, name, method, args });
  }

  /** One of the longer tasks that the program can do by itself. */
  task(
    task: 'increment' | 'pairs' | 'id' | 'begin' | 'cancel' | 'shutdown',
    details: object = {},
  ): Promise<unknown> {
    return this.#program.tell({ ...this.#line, task, ...details });
  }

  /** Interrupts what it is doing. */
  async interrupt(): Promise<void> {
    await this.#program.tell({ ...this.#line, interrupt: true });
  }

  /** Whether it sleeps until it learns of a release. */
  async isParked(): Promise<boolean> {
    return (await this.#program.tell({ ...this.#line, parked: true })) === true;
  }
}
