import type { Mutex } from 'redis-semaphore';
import { redisSemaphore } from '../../redis/libraries/redis-semaphore.ts';
import { redlock } from '../../redis/libraries/redlock.ts';
import type { Thrifty } from '../thrifty.ts';

/** Longer than a round: `acquire` does not renew. */
const LEASE_MS = 60_000;

export const redisSemaphores: Thrifty = {
  name: redisSemaphore.name,
  open: async (port) => {
    const [{ Redis }, { Mutex: Made }] = await Promise.all([import('ioredis'), import('redis-semaphore')]);
    const client = new Redis(port);
    return {
      lock: (name) => async () => {
        const mutex = new Made(client, name);
        await mutex.acquire();
        return mutex;
      },
      giveBack: (held) => (held as Mutex).release(),
    };
  },
};

export const redlocks: Thrifty = {
  name: redlock.name,
  open: async (port) => {
    const [{ Redis }, { default: Redlock }] = await Promise.all([import('ioredis'), import('redlock')]);
    const locks = new Redlock([new Redis(port)], { retryCount: -1 });
    return {
      lock: (name) => () => locks.acquire([name], LEASE_MS),
      giveBack: (held) => (held as { release(): Promise<unknown> }).release(),
    };
  },
};
