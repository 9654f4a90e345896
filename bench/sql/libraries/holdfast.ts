import { join } from 'node:path';
import type { MysqlSynchronizers } from 'holdfast/mysql';
import { holdfastLocker } from '../../holdfast-locker.ts';
import type { Library, Locker } from '../../library.ts';
import { semaphoreLocker } from '../../semaphore-locker.ts';
import { mysqlPool, pgPool } from '../connections.ts';

type Kind = 'lock' | 'fairLock';

function overPg(name: string, kind: Kind): Library {
  return {
    name,
    open: async (port) => {
      const [{ postgres }, pool] = await Promise.all([import('holdfast/postgres'), pgPool(port)]);
      return holdfastLocker(postgres({ pool }), kind, () => pool.end());
    },
  };
}

export const holdfastPg = overPg('holdfast (pg)', 'lock');
export const holdfastFairPg = overPg('holdfast fair lock (pg)', 'fairLock');

function overMysql2(
  name: string,
  open: (locks: MysqlSynchronizers, close: () => unknown) => Locker,
): Library {
  return {
    name,
    open: async (port) => {
      const [{ mysql }, pool] = await Promise.all([import('holdfast/mysql'), mysqlPool(port)]);
      return open(mysql({ pool }), () => pool.end());
    },
  };
}

export const holdfastMysql2 = overMysql2('holdfast (mysql2)', (locks, close) =>
  holdfastLocker(locks, 'lock', close),
);
export const holdfastFairMysql2 = overMysql2('holdfast fair lock (mysql2)', (locks, close) =>
  holdfastLocker(locks, 'fairLock', close),
);
export const holdfastSemaphoreMysql2 = overMysql2('holdfast semaphore of 1 (mysql2)', (locks, close) =>
  semaphoreLocker(locks, close),
);

export const holdfastLibsql: Library = {
  name: 'holdfast (libsql)',
  open: async (_port, folder) => {
    const { sqlite } = await import('holdfast/sqlite');
    return holdfastLocker(sqlite({ file: join(folder, 'locks.db'), driver: 'libsql' }), 'lock');
  },
};
