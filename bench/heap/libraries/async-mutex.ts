import type { MutexInterface } from 'async-mutex';
import { asyncMutex } from '../../memory/libraries/async-mutex.ts';
import type { Thrifty } from '../thrifty.ts';

export const asyncMutexes: Thrifty = {
  name: asyncMutex.name,
  open: async () => {
    const { Mutex } = await import('async-mutex');
    return {
      lock: (): (() => Promise<MutexInterface.Releaser>) => {
        const mutex = new Mutex();
        return () => mutex.acquire();
      },
      giveBack: (held) => (held as MutexInterface.Releaser)(),
    };
  },
};
