import { join } from 'node:path';
import { holdfastLocker } from '../../holdfast-locker.ts';
import type { Library } from '../../library.ts';
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

export const holdfastMysql2: Library = {
  name: 'holdfast (mysql2)',
  open: async (port) => {
    const [{ mysql }, pool] = await Promise.all([import('holdfast/mysql'), mysqlPool(port)]);
    return holdfastLocker(mysql({ pool }), 'lock', () => pool.end());
  },
};

export const holdfastLibsql: Library = {
  name: 'holdfast (libsql)',
  open: async (_port, folder) => {
    const { sqlite } = await import('holdfast/sqlite');
    return holdfastLocker(sqlite({ file: join(folder, 'locks.db'), driver: 'libsql' }), 'lock');
  },
};
