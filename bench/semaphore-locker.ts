import type { Synchronizers } from 'holdfast';
import type { Locker } from './library.ts';
import { memoized } from './memoized.ts';

/** A semaphore with a single permit, in the place of a lock. */
export function semaphoreLocker(locks: Synchronizers<'semaphore'>, close: () => unknown): Locker {
  const semaphoreOf = memoized((name) => locks.semaphore(name, { permits: 1 }));
  return {
    loop: async (name, pairs) => {
      const semaphore = semaphoreOf(name);
      for (let done = 0; done < pairs; done += 1) {
        const permit = await semaphore.acquire();
        await permit.release();
      }
    },
    acquire: async (name) => {
      const permit = await semaphoreOf(name).acquire();
      return () => permit.release();
    },
    close: async () => {
      await locks.close();
      await close();
    },
  };
}
