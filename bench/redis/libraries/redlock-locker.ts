import type { Locker } from '../../library.ts';

/** Longer than any round: `acquire` does not renew. */
const LEASE_MS = 30_000;

/** What the redlocks have in common: one was made of the other. */
interface Redlock {
  acquire(keys: string[], leaseMs: number): Promise<{ release(): Promise<unknown> }>;
}

export function redlockLocker(locks: Redlock, client: { disconnect(): void }): Locker {
  return {
    loop: async (key, pairs) => {
      for (let done = 0; done < pairs; done += 1) {
        const lock = await locks.acquire([key], LEASE_MS);
        await lock.release();
      }
    },
    acquire: async (key) => {
      const lock = await locks.acquire([key], LEASE_MS);
      return () => lock.release();
    },
    close: async () => client.disconnect(),
  };
}
