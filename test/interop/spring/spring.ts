import type { Place } from '../../faults/redis/open-locks.ts';
import { JavaClients, JavaThread } from '../java-clients.ts';
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
export class Spring extends JavaClients<SpringThread> {
  readonly #registries: readonly RegistrySettings[];

  private constructor(program: JavaProgram, registries: readonly RegistrySettings[]) {
    super(program, SpringThread);
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
    const client = this.#registries.findIndex((settings) =>
      Object.entries(wanted).every(([name, value]) => settings[name as keyof RegistrySettings] === value),
    );
    if (client < 0) throw new RangeError(`no such registry: ${JSON.stringify(wanted)}`);
    return new SpringLock(this.thread(client), lockKey);
  }
}

/** A thread that calls methods of the locks of a registry, and of the registry itself. */
export class SpringThread extends JavaThread {
  call(method: string, args: readonly unknown[], lock?: string): Promise<unknown> {
    return this.tell({ ...(lock !== undefined && { name: lock }), method, args });
  }
}

/** A lock of a registry, as one Java thread has it. */
export class SpringLock {
  protected readonly thread: SpringThread;
  protected readonly name: string;

  constructor(thread: SpringThread, name: string) {
    this.thread = thread;
    this.name = name;
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
    return this.thread.call(method, args, this.name);
  }
}
