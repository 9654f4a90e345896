import { JavaClients, JavaThread } from '../java-clients.ts';
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
export class Redisson extends JavaClients<RedissonThread> {
  static async start(
    version: RedissonVersion,
    place: Place,
    clients: readonly RedissonSettings[] = [{}],
  ): Promise<Redisson> {
    const plan = clients.map((settings) => ({ place, fewConnections: true, ...settings }));
    return new Redisson(await JavaProgram.start(version, plan), RedissonThread);
  }
}

export class RedissonThread extends JavaThread {
  /** `redisson.getFairLock(name).tryLock(…)` is `call('fairLock', name, 'tryLock', …)`. */
  call(
    object: RedissonObject,
    name: string | readonly string[],
    method: string,
    ...args: readonly JavaArgument[]
  ): Promise<unknown> {
    return this.tell({ object, name, method, args });
  }

  /** One of the longer tasks that the program can do by itself. */
  task(
    task: 'increment' | 'pairs' | 'id' | 'begin' | 'cancel' | 'shutdown',
    details: object = {},
  ): Promise<unknown> {
    return this.tell({ task, ...details });
  }

  /** Whether it sleeps until it learns of a release. */
  async isParked(): Promise<boolean> {
    return (await this.tell({ parked: true })) === true;
  }
}
