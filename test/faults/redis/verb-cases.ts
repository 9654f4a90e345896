import { expect } from 'vitest';
import type { RedisSynchronizers } from '../../../src/engines/redis/index.ts';
import type { Hold, Lock, Synchronizers } from '../../../src/index.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

/** The leases of clients that only hold, and of clients whose holds are renewed within the time of a test. */
export const LONG_LEASE_MS = 30_000;
/** Two thirds of it are left when a renewal is due: longer than a process stands still on a busy machine. */
export const SHORT_LEASE_MS = 6000;
/** Many cases run side by side, each with clients of its own: the limit only ends a case that hangs. */
export const CASE_LIMIT_MS = 60_000;

/** A name of its own for each case; a client that things happen to, and two others. */
export interface Scene {
  readonly name: string;
  readonly locks: RedisSynchronizers;
  readonly other: RedisSynchronizers;
  readonly third: RedisSynchronizers;
  /** The server carries out the next call of this script; the answer is lost, and the connection with it. */
  readonly lose: (script: string) => void;
  readonly command: (...words: readonly (string | number)[]) => Promise<unknown>;
  /** The names that the third has found taken. */
  readonly contended: ReadonlySet<string>;
}

export type Case = (scene: Scene) => Promise<void>;

/** What every lock must get right, whichever script is behind it. */
function lockCases(lockOf: (locks: Synchronizers, name: string) => Lock, script: string, renew: string) {
  const held = (scene: Scene): Promise<unknown> =>
    lockOf(scene.other, scene.name)
      .holder()
      .then((holder) => holder?.fence);
  return {
    acquire: async (scene) => {
      scene.lose(`${script}-acquire`);
      const hold = await lockOf(scene.locks, scene.name).acquire();
      expect(await held(scene)).toBe(hold.fence);
      expect(await lockOf(scene.other, scene.name).tryAcquire()).toBeNull();
      await hold.release();
      expect(await lockOf(scene.other, scene.name).isLocked()).toBe(false);
      expect(await scene.command('EXISTS', scene.name)).toBe(0);
    },
    tryAcquire: async (scene) => {
      scene.lose(`${script}-acquire`);
      const hold = await lockOf(scene.locks, scene.name).tryAcquire();
      expect(hold).not.toBeNull();
      await hold?.release();
      expect(await scene.command('EXISTS', scene.name)).toBe(0);
    },
    release: async (scene) => {
      const hold = await lockOf(scene.locks, scene.name).acquire();
      const waiting = lockOf(scene.other, scene.name).acquire();
      scene.lose(`${script}-release`);
      await hold.release();
      const next = await waiting;
      await hold.release();
      expect(await held(scene)).toBe(next.fence);
      await next.release();
    },
    renew: async (scene) => {
      const hold = await lockOf(scene.locks, scene.name).acquire();
      scene.lose(renew);
      await isRenewedTwice(hold);
      await hold.release();
    },
    extend: async (scene) => {
      const hold = await lockOf(scene.locks, scene.name).acquire();
      scene.lose(renew);
      await hold.extend(2 * LONG_LEASE_MS);
      expect(hold.remainingMs).toBeGreaterThan(1.5 * LONG_LEASE_MS);
      expect(await lockOf(scene.other, scene.name).remainingMs()).toBeGreaterThan(hold.remainingMs);
      await hold.release();
      expect(await scene.command('EXISTS', scene.name)).toBe(0);
    },
    // Once, and from whom it was meant for: the next holder comes in before the request is sent again.
    forceRelease: async (scene) => {
      const hold = await lockOf(scene.other, scene.name).acquire();
      const waiting = lockOf(scene.third, scene.name).acquire();
      await waitFor('a client waits', () => scene.contended.has(scene.name));
      scene.lose(`${script.replace(/^(read|write)-lock$/, 'read-write-lock')}-force`);
      expect(await lockOf(scene.locks, scene.name).forceRelease()).toBe(true);
      const next = await waiting;
      next.throwIfLost();
      expect(await held(scene)).toBe(next.fence);
      await expect(hold.release()).rejects.toMatchObject({ code: 'LEASE_LOST' });
      await next.release();
    },
  } satisfies Record<string, Case>;
}

/** Every verb of every synchronizer, by kind and title. Those called `renew` want the short lease for `locks`. */
export const verbCases: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  lock: lockCases((locks, name) => locks.lock(name), 'lock', 'lock-renew'),
  fairLock: {
    ...lockCases((locks, name) => locks.fairLock(name), 'fair-lock', 'lock-renew'),
    'a place in line': async ({ name, locks, other, lose, command }) => {
      const hold = await other.fairLock(name).acquire();
      lose('fair-lock-acquire');
      const first = locks.fairLock(name).acquire();
      await waitFor('it stands in line', async () => (await inLine(command, name)) === 1);
      const second = other.fairLock(name).acquire();
      await waitFor('both stand in line', async () => (await inLine(command, name)) === 2);
      await hold.release();
      const next = await first;
      expect(await inLine(command, name)).toBe(1);
      await next.release();
      await (await second).release();
      expect(await inLine(command, name)).toBe(0);
    },
    'giving up a place in line': async ({ name, locks, other, lose, command }) => {
      const hold = await other.fairLock(name).acquire();
      const impatient = new AbortController();
      const waiting = locks.fairLock(name).acquire({ signal: impatient.signal });
      await waitFor('it stands in line', async () => (await inLine(command, name)) === 1);
      lose('fair-lock-release');
      impatient.abort(new Error('enough'));
      await expect(waiting).rejects.toThrow('enough');
      await waitFor('it has left', async () => (await inLine(command, name)) === 0);
      await hold.release();
      await (await other.fairLock(name).acquire()).release();
    },
  },
  writeLock: lockCases(
    (locks, name) => locks.readWriteLock(name).write,
    'write-lock',
    'read-write-lock-renew',
  ),
  readLock: {
    acquire: async ({ name, locks, other, lose, command }) => {
      lose('read-lock-acquire');
      const hold = await locks.readWriteLock(name).read.acquire();
      const beside = await other.readWriteLock(name).read.acquire();
      expect(await command('HLEN', name)).toBe(3);
      await hold.release();
      expect(await command('HLEN', name)).toBe(2);
      await beside.release();
      expect(await command('EXISTS', name)).toBe(0);
    },
    release: async ({ name, locks, other, lose }) => {
      const hold = await locks.readWriteLock(name).read.acquire();
      const beside = await other.readWriteLock(name).read.acquire();
      lose('read-lock-release');
      await hold.release();
      expect(await other.readWriteLock(name).write.isLocked()).toBe(false);
      expect(await other.readWriteLock(name).read.isLocked()).toBe(true);
      await beside.release();
      await (await other.readWriteLock(name).write.acquire()).release();
    },
    renew: async ({ name, locks, lose }) => {
      const hold = await locks.readWriteLock(name).read.acquire();
      lose('read-write-lock-renew');
      await isRenewedTwice(hold);
      await hold.release();
    },
  },
  semaphore: {
    acquire: async ({ name, locks, lose, command }) => {
      lose('permit-semaphore-acquire');
      const hold = await locks.semaphore(name, { permits: 5 }).acquire({ permits: 2 });
      expect(await command('GET', name)).toBe('3');
      expect(await command('ZCARD', `{${name}}:timeout`)).toBe(2);
      await hold.release();
      expect(await command('GET', name)).toBe('5');
    },
    release: async ({ name, locks, lose, command }) => {
      const hold = await locks.semaphore(name, { permits: 5 }).acquire({ permits: 2 });
      lose('permit-semaphore-release');
      await hold.release();
      expect(await command('GET', name)).toBe('5');
      expect(await command('ZCARD', `{${name}}:timeout`)).toBe(0);
    },
    'a refused attempt': async ({ name, locks, other, lose, command }) => {
      const hold = await other.semaphore(name, { permits: 1 }).acquire();
      lose('permit-semaphore-acquire');
      expect(await locks.semaphore(name, { permits: 1 }).tryAcquire()).toBeNull();
      await hold.release();
      expect(await command('GET', name)).toBe('1');
    },
    renew: async ({ name, locks, lose }) => {
      const hold = await locks.semaphore(name, { permits: 1 }).acquire();
      lose('permit-semaphore-renew');
      await isRenewedTwice(hold);
      await hold.release();
    },
  },
  bareSemaphore: {
    acquire: async ({ name, locks, lose, command }) => {
      lose('bare-semaphore-acquire');
      const hold = await locks.bareSemaphore(name, { permits: 5 }).acquire({ permits: 2 });
      expect(await command('GET', name)).toBe('3');
      await hold.release();
      expect(await command('GET', name)).toBe('5');
    },
    release: async ({ name, locks, lose, command }) => {
      const hold = await locks.bareSemaphore(name, { permits: 5 }).acquire({ permits: 2 });
      lose('bare-semaphore-release');
      await hold.release();
      expect(await command('GET', name)).toBe('5');
    },
    'a refused attempt': async ({ name, locks, other, lose, command }) => {
      const hold = await other.bareSemaphore(name, { permits: 1 }).acquire();
      lose('bare-semaphore-acquire');
      expect(await locks.bareSemaphore(name, { permits: 1 }).tryAcquire()).toBeNull();
      await hold.release();
      expect(await command('GET', name)).toBe('1');
    },
  },
  permitSemaphore: {
    acquire: async ({ name, locks, lose, command }) => {
      lose('permit-semaphore-acquire');
      const permit = await locks.permitSemaphore(name, { permits: 5 }).acquire({ permits: 2 });
      expect(await command('GET', name)).toBe('3');
      expect(await command('ZCARD', `{${name}}:timeout`)).toBe(2);
      await permit.release();
      expect(await command('GET', name)).toBe('5');
    },
    release: async ({ name, locks, lose, command }) => {
      const permit = await locks.permitSemaphore(name, { permits: 5 }).acquire({ permits: 2 });
      lose('permit-semaphore-release');
      await permit.release();
      expect(await command('GET', name)).toBe('5');
      expect(await command('ZCARD', `{${name}}:timeout`)).toBe(0);
    },
    'release by id': async ({ name, locks, other, lose, command }) => {
      const { id } = await other.permitSemaphore(name, { permits: 5 }).acquire({ leaseMs: 30_000 });
      lose('permit-semaphore-release');
      expect(await locks.permitSemaphore(name, { permits: 5 }).release(id)).toBe(true);
      expect(await command('GET', name)).toBe('5');
    },
    renew: async ({ name, locks, lose }) => {
      const permit = await locks.permitSemaphore(name, { permits: 1 }).acquire();
      lose('permit-semaphore-renew');
      await isRenewedTwice(permit);
      await permit.release();
    },
    'extend by id': async ({ name, locks, other, lose }) => {
      const { id } = await other.permitSemaphore(name, { permits: 5 }).acquire({ leaseMs: 5000 });
      lose('permit-semaphore-renew');
      expect(await locks.permitSemaphore(name, { permits: 5 }).extend(id, 20_000)).toBe(true);
      expect(await locks.permitSemaphore(name, { permits: 5 }).release(id)).toBe(true);
    },
  },
  latch: {
    trySetCount: async ({ name, locks, lose, command }) => {
      lose('latch-try-set-count');
      expect(await locks.latch(name).trySetCount(3)).toBe(true);
      expect(await command('GET', name)).toBe('3');
    },
    countDown: async ({ name, locks, lose, command }) => {
      await locks.latch(name).trySetCount(3);
      lose('latch-count-down');
      expect(await locks.latch(name).countDown()).toBe(2);
      expect(await command('GET', name)).toBe('2');
    },
    'the last countDown': async ({ name, locks, other, lose }) => {
      await locks.latch(name).trySetCount(1);
      const opened = other.latch(name).await();
      lose('latch-count-down');
      expect(await locks.latch(name).countDown()).toBe(0);
      await opened;
    },
    reset: async ({ name, locks, lose, command }) => {
      await locks.latch(name).trySetCount(3);
      lose('latch-reset');
      await locks.latch(name).reset(7);
      expect(await command('GET', name)).toBe('7');
    },
  },
  // What is kept as a document: one script for all verbs.
  barrier: {
    arrive: async ({ name, locks, other, lose }) => {
      lose('cell-write');
      const [one, two] = await Promise.all([
        locks.barrier(name, { parties: 2 }).arrive(),
        other.barrier(name, { parties: 2 }).arrive(),
      ]);
      expect(one.generation).toBe(two.generation);
      expect(one.index + two.index).toBe(1);
    },
  },
  election: {
    campaign: async ({ name, locks, other, lose }) => {
      lose('cell-write');
      const office = await locks.election(name).campaign({ value: 'first' });
      expect((await other.election(name).leader())?.fence).toBe(office.fence);
      lose('cell-write');
      await office.proclaim('second');
      expect((await other.election(name).leader())?.value).toBe('second');
      lose('cell-write');
      await office.resign();
      expect(await other.election(name).leader()).toBeNull();
    },
  },
  monitor: {
    run: async ({ name, locks, other, lose }) => {
      const count = locks.monitor(name, { initial: 0 });
      await count.run((m) => m.set(m.state + 1));
      lose('cell-write');
      await count.run((m) => {
        lose('cell-write');
        m.set(m.state + 1);
      });
      expect(await other.monitor(name, { initial: 0 }).peek()).toBe(2);
      expect(await other.monitor(name, { initial: 0 }).isLocked()).toBe(false);
    },
  },
};

async function inLine(command: Scene['command'], name: string): Promise<number> {
  return Number(await command('LLEN', `redisson_lock_queue:{${name}}`));
}

/** The hold lives for longer than one lease: two renewals have moved its end. */
async function isRenewedTwice(hold: Hold): Promise<void> {
  let remainingMs = hold.remainingMs;
  let renewals = 0;
  await waitFor(
    'the hold is renewed twice',
    () => {
      if (hold.remainingMs > remainingMs) renewals += 1;
      remainingMs = hold.remainingMs;
      return renewals === 2 || hold.lost.aborted;
    },
    CASE_LIMIT_MS / 2,
  );
  hold.throwIfLost();
}
