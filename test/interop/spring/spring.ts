import type { Place } from '../../faults/redis/open-locks.ts';
import { JavaProgram } from '../java-program.ts';
import { MS } from '../redisson/redisson.ts';

export type SpringVersion = 'spring-7' | 'spring-6';
export type SpringType = 'spin' | 'pubSub';

/** Of one `RedisLockRegistry`. */
export interface RegistrySettings {
  readonly registryKey: string;
  readonly type: SpringType;
  /** Of every lock of it, in milliseconds. */
  readonly expireAfter: number;
  /** Whether held locks are renewed, by a scheduler that it is given. */
  readonly renewed: boolean;
}

/** A JVM with several registries, each of which is one owner of locks. */
export class Spring {
  readonly #program: JavaProgram;
  readonly #registries: readonly RegistrySettings[];
  #threads = 0;

  private constructor(program: JavaProgram, registries: readonly RegistrySettings[]) {
    this.#program = program;
    this.#registries = registries;
  }

  static async start(
    version: SpringVersion,
    place: Place,
    registries: readonly RegistrySettings[],
  ): Promise<Spring> {
    const plan = registries.map((settings) => ({ place, ...settings }));
    return new Spring(await JavaProgram.start(version, plan), registries);
  }

  /** A lock of the first registry with these settings, on a thread of its own. */
  lock(wanted: Partial<RegistrySettings>, lockKey: string): SpringLock {
    this.#threads += 1;
    const client = this.#registries.findIndex((settings) =>
      Object.entries(wanted).every(([name, value]) => settings[name as keyof RegistrySettings] === value),
    );
    if (client < 0) throw new RangeError(`no such registry: ${JSON.stringify(wanted)}`);
    return new SpringLock(this.#program, { thread: `thread ${this.#threads}`, client, name: lockKey });
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** A lock of a registry, as one Java thread has it. */
export class SpringLock {
  readonly #program: JavaProgram;
  readonly #line: { readonly thread: string; readonly client: number; readonly name: string };

  constructor(
    program: JavaProgram,
    line: { readonly thread: string; readonly client: number; readonly name: string },
  ) {
    this.#program = program;
    this.#line = line;
  }

  async lock(): Promise<void> {
    await this.#tell('lock', []);
  }

  async tryLock(waitMs?: number): Promise<boolean> {
    return Boolean(await this.#tell('tryLock', waitMs === undefined ? [] : [waitMs, MS]));
  }

  /** With a time of its own for this acquisition, which Spring has since 7.0. */
  async lockFor(expireAfterMs: number): Promise<void> {
    await this.#tell('lock', [{ ms: expireAfterMs }]);
  }

  async unlock(): Promise<void> {
    await this.#tell('unlock', []);
  }

  #tell(method: string, args: readonly unknown[]): Promise<unknown> {
    return this.#program.tell({ ...this.#line, method, args });
  }
}
