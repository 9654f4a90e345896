import type { Settings } from 'redlock';
import type { Library } from '../../library.ts';

/** Longer than any round: `acquire` does not renew. */
const LEASE_MS = 30_000;
/** Its README: unlimited retries. */
const patient = { retryCount: -1 };

/** As its README shows it, asked for every 200 ± 200 ms. */
export const redlock = library('redlock', patient);

/** Asked for more often it only gets in its own way. */
export const redlockFast = library('redlock, every 5 ± 5 ms', { ...patient, retryDelay: 5, retryJitter: 5 });

function library(name: string, settings: Settings): Library {
  return {
    name,
    open: async (port) => {
      const [{ Redis }, { default: Redlock }] = await Promise.all([import('ioredis'), import('redlock')]);
      const client = new Redis(port);
      const locks = new Redlock([client], settings);
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
    },
  };
}
