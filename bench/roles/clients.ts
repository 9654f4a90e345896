import type { Lock } from 'holdfast';
import { connect } from '../redis/connections.ts';

/** Many clients of one process, each with connections of its own, where the role of waiters has one client. */
export async function clients(_library: string, port: number) {
  const { redis } = await import('holdfast/redis');
  const locks: Lock[] = [];
  let entered = 0;
  return {
    /** Returns when all of them are connected. */
    open: async (name: string, count: number, renewalLeaseMs: number): Promise<void> => {
      for (let opened = 0; opened < count; opened += 1) {
        const { client } = await connect['ioredis 5'](port);
        locks.push(redis({ client, renewalLeaseMs }).fairLock(name));
      }
    },

    /** Begins to wait with each of them, so many milliseconds apart, and leaves at once whenever one gets the lock. */
    ask: async (everyMs: number): Promise<void> => {
      for (const lock of locks) {
        void lock.run(() => void (entered += 1));
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    },

    /** How many have had the lock so far. */
    entered: async (): Promise<number> => entered,
  };
}
