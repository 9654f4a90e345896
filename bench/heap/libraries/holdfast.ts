import { join } from 'node:path';
import type { Hold, Synchronizers } from 'holdfast';
import { holdfastMemory } from '../../memory/libraries/holdfast.ts';
import { connect } from '../../redis/connections.ts';
import { holdfast } from '../../redis/libraries/holdfast.ts';
import { holdfastLibsql } from '../../sql/libraries/holdfast.ts';
import type { Opened, Thrifty } from '../thrifty.ts';

function on(locks: Pick<Synchronizers, 'lock'>): Opened {
  return {
    lock: (name) => {
      const lock = locks.lock(name);
      return () => lock.acquire();
    },
    giveBack: (held) => (held as Hold).release(),
  };
}

export const holdfastInMemory: Thrifty = {
  name: holdfastMemory.name,
  open: async () => {
    const { memory } = await import('holdfast/memory');
    return on(memory());
  },
};

export const holdfastOnRedis: Thrifty = {
  name: holdfast('ioredis 5').name,
  open: async (port) => {
    const [{ redis }, { client }] = await Promise.all([import('holdfast/redis'), connect['ioredis 5'](port)]);
    return on(redis({ client }));
  },
};

export const holdfastOnSqlite: Thrifty = {
  name: holdfastLibsql.name,
  open: async (_port, folder) => {
    const { sqlite } = await import('holdfast/sqlite');
    return on(sqlite({ file: join(folder, 'heap.db'), driver: 'libsql' }));
  },
};
