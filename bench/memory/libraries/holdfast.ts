import type { Library } from '../../library.ts';
import { kept } from '../kept.ts';

export const holdfastMemory: Library = {
  name: 'holdfast memory',
  open: async () => {
    const { memory } = await import('holdfast/memory');
    const locks = memory();
    const lockOf = kept((name) => locks.lock(name));
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
      close: () => locks.close(),
    };
  },
};
