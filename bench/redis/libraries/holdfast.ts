import { type ClientName, connect } from '../connections.ts';
import type { Library } from '../../library.ts';

export function holdfast(client: ClientName): Library {
  return over(client, 'lock', `holdfast (${client})`);
}

export function holdfastFair(client: ClientName): Library {
  return over(client, 'fairLock', `holdfast fair lock (${client})`);
}

function over(client: ClientName, kind: 'lock' | 'fairLock', name: string): Library {
  return {
    name,
    open: async (port) => {
      const [{ redis }, connection] = await Promise.all([import('holdfast/redis'), connect[client](port)]);
      const locks = redis({ client: connection.client });
      // Made once, as a program would: a lock is an object that is kept.
      const made = new Map<string, ReturnType<typeof locks.lock>>();
      const lockOf = (lockName: string) => {
        const known = made.get(lockName);
        if (known !== undefined) return known;
        const lock = locks[kind](lockName);
        made.set(lockName, lock);
        return lock;
      };
      return {
        loop: async (lockName, pairs) => {
          const lock = lockOf(lockName);
          for (let done = 0; done < pairs; done += 1) {
            const hold = await lock.acquire();
            await hold.release();
          }
        },
        acquire: async (lockName) => {
          const hold = await lockOf(lockName).acquire();
          return () => hold.release();
        },
        close: async () => {
          await locks.close();
          connection.close();
        },
      };
    },
  };
}
