import type { Lock, Synchronizers } from 'holdfast';
import { memoized } from './memoized.ts';
import type { Locker } from './library.ts';

/** Holdfast over any engine. Locks are made once, as a program would: a lock is an object that is kept. */
export function holdfastLocker(
  locks: Synchronizers<'lock' | 'fairLock', Lock>,
  kind: 'lock' | 'fairLock',
  close: () => unknown = () => undefined,
): Locker {
  const lockOf = memoized((name) => locks[kind](name));
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
