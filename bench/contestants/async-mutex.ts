import { Mutex, Semaphore } from 'async-mutex';
import type { Contestant } from '../scenario.ts';

export const asyncMutex: Contestant = {
  name: 'async-mutex Mutex',
  open: async () => {
    const mutex = new Mutex();
    return {
      loop: async (pairs) => {
        for (let done = 0; done < pairs; done += 1) {
          const release = await mutex.acquire();
          release();
        }
      },
      close: async () => {},
    };
  },
};

export const asyncSemaphore: Contestant = {
  name: 'async-mutex Semaphore(1)',
  open: async () => {
    const semaphore = new Semaphore(1);
    return {
      loop: async (pairs) => {
        for (let done = 0; done < pairs; done += 1) {
          const [, release] = await semaphore.acquire();
          release();
        }
      },
      close: async () => {},
    };
  },
};
