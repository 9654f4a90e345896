import { memory } from 'holdfast/memory';
import type { Contestant } from '../scenario.ts';

export const holdfastMemory: Contestant = {
  name: 'holdfast memory',
  open: async () => {
    const locks = memory();
    const lock = locks.lock('bench');
    return {
      loop: async (pairs) => {
        for (let done = 0; done < pairs; done += 1) {
          const hold = await lock.acquire();
          await hold.release();
        }
      },
      close: () => locks.close(),
    };
  },
};
