import type { Settings } from '@sesamecare-oss/redlock';
import type { Library } from '../../library.ts';
import { redlockLocker } from './redlock-locker.ts';

/** Its README: as many retries as it takes. */
const patient = { retryCount: -1 };

/** Nothing else set: asked for every 200 ± 100 ms. */
export const sesameRedlock = library('sesamecare redlock', patient);

/** Polling more often makes it slower: its own attempts delay each other. */
export const sesameRedlockFast = library('sesamecare redlock, every 5 ± 5 ms', {
  ...patient,
  retryDelay: 5,
  retryJitter: 5,
});

function library(name: string, settings: Settings): Library {
  return {
    name,
    open: async (port) => {
      const [{ Redis }, { Redlock }] = await Promise.all([
        import('ioredis'),
        import('@sesamecare-oss/redlock'),
      ]);
      const client = new Redis(port);
      return redlockLocker(new Redlock([client], settings), client);
    },
  };
}
