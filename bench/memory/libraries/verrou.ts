import type { Library } from '../../library.ts';

/**
 * As its pages show it. Only for those who are alone: as soon as two want one lock of its memory, every second release
 * fails with `E_LOCK_NOT_OWNED`, because whoever waits is let into the record of the one before.
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
