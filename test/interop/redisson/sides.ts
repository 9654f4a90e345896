import { multiLock } from '../../../src/index.ts';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { JavaSide, NodeSide } from '../contenders.ts';
import { MS, type RedissonObject, type RedissonThread } from './redisson.ts';

/**
 * What a side takes. A fenced lock of Java's is a lock of ours. Both semaphores of ours are Java's permit semaphore; Java's
 * semaphore is our bare one.
 */
export type Side =
  | 'lock'
  | 'fencedLock'
  | 'fairLock'
  | 'readLock'
  | 'writeLock'
  | 'multiLock'
  | 'semaphore'
  | 'bareSemaphore'
  | 'permitSemaphore';

/** Where Java can lease what it acquires. Without a lease it is renewed for as long as the thread has it. */
export interface LeasedJavaSide extends JavaSide {
  acquire(leaseMs?: number): Promise<void>;
}

/** The locks of a multi-lock: in a cluster they lie on different servers. */
export function memberNames(name: string): readonly [string, string, string] {
  return [`${name} one`, `${name} two`, `${name} three`];
}

const NODE_SIDES: Readonly<Record<Side, (locks: RedisSynchronizers, name: string) => NodeSide>> = {
  lock: (locks, name) => locks.lock(name),
  fencedLock: (locks, name) => locks.lock(name),
  fairLock: (locks, name) => locks.fairLock(name),
  readLock: (locks, name) => locks.readWriteLock(name).read,
  writeLock: (locks, name) => locks.readWriteLock(name).write,
  multiLock: (locks, name) => multiLock(memberNames(name).map((member) => locks.lock(member))),
  semaphore: (locks, name) => locks.semaphore(name, { permits: 1 }),
  bareSemaphore: (locks, name) => locks.bareSemaphore(name, { permits: 1 }),
  permitSemaphore: (locks, name) => locks.permitSemaphore(name, { permits: 1 }),
};

export function nodeSide(locks: RedisSynchronizers, side: Side, name: string): NodeSide {
  return NODE_SIDES[side](locks, name);
}

/** What Java calls it. */
export function javaObject(side: Side): RedissonObject {
  if (side === 'bareSemaphore') return 'semaphore';
  return side === 'semaphore' ? 'permitSemaphore' : side;
}

/** Whether it has a number of permits, which Java sets before it asks for the first. */
export function hasPermits(side: Side): boolean {
  return side === 'bareSemaphore' || side === 'semaphore' || side === 'permitSemaphore';
}

export function javaSide(thread: RedissonThread, side: Side, name: string): LeasedJavaSide {
  if (side === 'bareSemaphore') return javaSemaphore(thread, name);
  if (side === 'semaphore' || side === 'permitSemaphore') return new JavaPermit(thread, name);
  const named = side === 'multiLock' ? memberNames(name) : name;
  return {
    acquire: async (leaseMs) =>
      void (await (leaseMs === undefined
        ? thread.call(side, named, 'lock')
        : thread.call(side, named, 'lock', leaseMs, MS))),
    tryAcquire: async (waitMs) =>
      Boolean(
        await (waitMs === undefined
          ? thread.call(side, named, 'tryLock')
          : thread.call(side, named, 'tryLock', waitMs, MS)),
      ),
    release: async () => void (await thread.call(side, named, 'unlock')),
  };
}

function javaSemaphore(thread: RedissonThread, name: string): LeasedJavaSide {
  return {
    acquire: async () => void (await thread.call('semaphore', name, 'acquire')),
    tryAcquire: async (waitMs) =>
      Boolean(
        await (waitMs === undefined
          ? thread.call('semaphore', name, 'tryAcquire')
          : thread.call('semaphore', name, 'tryAcquire', { ms: waitMs })),
      ),
    release: async () => void (await thread.call('semaphore', name, 'release')),
  };
}

/** Of one permit, whose id it remembers. */
class JavaPermit implements LeasedJavaSide {
  id = '';
  readonly #thread: RedissonThread;
  readonly #name: string;

  constructor(thread: RedissonThread, name: string) {
    this.#thread = thread;
    this.#name = name;
  }

  async acquire(leaseMs?: number): Promise<void> {
    const args = leaseMs === undefined ? [] : [leaseMs, MS];
    this.id = String(await this.#thread.call('permitSemaphore', this.#name, 'acquire', ...args));
  }

  async tryAcquire(waitMs?: number): Promise<boolean> {
    const args = waitMs === undefined ? [] : [waitMs, MS];
    const id = await this.#thread.call('permitSemaphore', this.#name, 'tryAcquire', ...args);
    if (typeof id !== 'string') return false;
    this.id = id;
    return true;
  }

  async release(): Promise<void> {
    await this.#thread.call('permitSemaphore', this.#name, 'release', this.id);
  }
}
