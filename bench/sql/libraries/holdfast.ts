import { join } from 'node:path';
import type { Synchronizers } from 'holdfast';
import type { Library, Locker } from '../../library.ts';
import { mysqlPool, pgPool } from '../connections.ts';

type Kind = 'lock' | 'fairLock';

function lockerOf(locks: Synchronizers, kind: Kind, close: () => unknown): Locker {
  // Made once, as a program would: a lock is an object that is kept.
  const made = new Map<string, ReturnType<typeof locks.lock>>();
  const lockOf = (name: string) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const lock = locks[kind](name);
    made.set(name, lock);
    return lock;
  };
  return {
    loop: async (name, pairs) => {
      const lock = lockOf(name);
      for (let done = 0; done < pairs; done += 1) {
        const hold = await lock.acquire();
        await hold.release();
      }
    },
    acquire: async (name) => {
      const hold = await lockOf(name).acquire();
      return () => hold.release();
    },
    close: async () => {
      await locks.close();
      await close();
    },
  };
}

function overPg(name: string, kind: Kind): Library {
  return {
    name,
    open: async (port) => {
      const [{ postgres }, pool] = await Promise.all([import('holdfast/postgres'), pgPool(port)]);
      return lockerOf(postgres({ pool }), kind, () => pool.end());
    },
  };
}

export const holdfastPg = overPg('holdfast (pg)', 'lock');
export const holdfastFairPg = overPg('holdfast fair lock (pg)', 'fairLock');

export const holdfastMysql2: Library = {
  name: 'holdfast (mysql2)',
  open: async (port) => {
    const [{ mysql }, pool] = await Promise.all([import('holdfast/mysql'), mysqlPool(port)]);
    return lockerOf(mysql({ pool }), 'lock', () => pool.end());
  },
};

export const holdfastLibsql: Library = {
  name: 'holdfast (libsql)',
  open: async (_port, folder) => {
    const { sqlite } = await import('holdfast/sqlite');
    return lockerOf(sqlite({ file: join(folder, 'locks.db'), driver: 'libsql' }), 'lock', () => undefined);
  },
};
