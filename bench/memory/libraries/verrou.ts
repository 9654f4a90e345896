import type { Library } from '../../library.ts';

/**
 * As its pages show it. Measured without contention only: as soon as two callers want one lock of its memory, every second
 * release fails with `E_LOCK_NOT_OWNED`, because the waiter acquires under the record of the owner before it.
 */
export const verrouMemory: Library = {
  name: 'verrou memory',
  open: async () => {
    const [{ LockFactory }, { memoryStore }] = await Promise.all([
      import('@verrou/core'),
      import('@verrou/core/drivers/memory'),
    ]);
    const locks = new LockFactory(memoryStore().factory());
    return {
      loop: async (key, pairs) => {
        for (let done = 0; done < pairs; done += 1) {
          const lock = locks.createLock(key);
          await lock.acquire();
          await lock.release();
        }
      },
      acquire: async (key) => {
        const lock = locks.createLock(key);
        await lock.acquire();
        return () => lock.release();
      },
      close: async () => undefined,
    };
  },
};
