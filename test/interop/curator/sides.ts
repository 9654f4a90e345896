import { multiLock } from '../../../src/index.ts';
import type { JavaSide, NodeSide } from '../contenders.ts';
import { type CuratorThread, MS, type Named, type Recipe } from './curator.ts';
import type { ZooKeeperSynchronizers } from '../../../src/engines/zookeeper/index.ts';

const LEADS_WITHIN_MS = 20_000;

/** What a side takes. Curator's mutex is both our lock and our fair lock; both its semaphores of one permit are our semaphore. */
export type Side =
  'lock' | 'fairLock' | 'readLock' | 'writeLock' | 'semaphore' | 'semaphoreMutex' | 'multiLock' | 'election';

/** The locks of a multi-lock. */
export function memberPaths(path: string): readonly [string, string] {
  return [`${path}/one`, `${path}/two`];
}

const NODE_SIDES: Readonly<Record<Side, (locks: ZooKeeperSynchronizers, path: string) => NodeSide>> = {
  lock: (locks, path) => locks.lock(path),
  fairLock: (locks, path) => locks.fairLock(path),
  readLock: (locks, path) => locks.readWriteLock(path).read,
  writeLock: (locks, path) => locks.readWriteLock(path).write,
  semaphore: (locks, path) => locks.semaphore(path, { permits: 1 }),
  semaphoreMutex: (locks, path) => locks.semaphore(path, { permits: 1 }),
  multiLock: (locks, path) => multiLock(memberPaths(path).map((member) => locks.lock(member))),
  election: (locks, path) => {
    const election = locks.election(path);
    return {
      acquire: (options) => election.campaign({ value: 'node', ...options }),
      tryAcquire: () => Promise.reject(new Error('A campaign waits.')),
    };
  },
};

const RECIPES: Readonly<Record<Exclude<Side, 'election'>, Recipe>> = {
  lock: 'mutex',
  fairLock: 'mutex',
  readLock: 'readLock',
  writeLock: 'writeLock',
  semaphore: 'semaphore',
  semaphoreMutex: 'semaphoreMutex',
  multiLock: 'multiLock',
};

export function nodeSide(locks: ZooKeeperSynchronizers, side: Side, path: string): NodeSide {
  return NODE_SIDES[side](locks, path);
}

export function javaSide(thread: CuratorThread, side: Side, path: string): JavaSide {
  if (side === 'election') return new JavaCandidate(thread, path);
  const named = namedFor(side, path);
  const recipe = RECIPES[side];
  return {
    acquire: async () => void (await thread.call(recipe, named, 'acquire')),
    tryAcquire: async (waitMs = 0) => Boolean(await thread.call(recipe, named, 'acquire', waitMs, MS)),
    release: async () => void (await thread.call(recipe, named, 'release')),
  };
}

function namedFor(side: Side, path: string): Named {
  if (side === 'multiLock') return memberPaths(path);
  return side === 'semaphore' ? { path, permits: 1 } : path;
}

/** A participant of a LeaderLatch, which is of no use after its end: each has an id of its own. */
class JavaCandidate implements JavaSide {
  static #ids = 0;
  readonly #thread: CuratorThread;
  readonly #named: Named;

  constructor(thread: CuratorThread, path: string) {
    this.#thread = thread;
    this.#named = { path, id: `java-${(JavaCandidate.#ids += 1)}` };
  }

  async acquire(): Promise<void> {
    await this.#call('start');
    await this.#call('await', LEADS_WITHIN_MS, MS);
  }

  async tryAcquire(waitMs = 0): Promise<boolean> {
    await this.#call('start');
    if ((await this.#call('await', waitMs, MS)) === true) return true;
    await this.release();
    return false;
  }

  async release(): Promise<void> {
    await this.#call('close');
  }

  #call(method: string, ...args: readonly (string | number)[]): Promise<unknown> {
    return this.#thread.call('leaderLatch', this.#named, method, ...args);
  }
}
