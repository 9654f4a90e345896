import type { Library } from '../../library.ts';
import { memoized } from '../../memoized.ts';

export const asyncMutex: Library = {
  name: 'async-mutex Mutex',
  open: async () => {
    const { Mutex } = await import('async-mutex');
    const mutexOf = memoized(() => new Mutex());
    return {
      loop: async (name, pairs) => {
        const mutex = mutexOf(name);
        for (let done = 0; done < pairs; done += 1) {
          const release = await mutex.acquire();
          release();
        }
      },
      acquire: async (name) => {
        const release = await mutexOf(name).acquire();
        return async () => release();
      },
      close: async () => {},
    };
  },
};

export const asyncSemaphore: Library = {
  name: 'async-mutex Semaphore(1)',
  open: async () => {
    const { Semaphore } = await import('async-mutex');
    const semaphoreOf = memoized(() => new Semaphore(1));
    return {
      loop: async (name, pairs) => {
        const semaphore = semaphoreOf(name);
        for (let done = 0; done < pairs; done += 1) {
          const [, release] = await semaphore.acquire();
          release();
        }
      },
      acquire: async (name) => {
        const [, release] = await semaphoreOf(name).acquire();
        return async () => release();
      },
      close: async () => {},
    };
  },
};
