import type { Settings } from 'redlock';
import type { Library } from '../../library.ts';
import { redlockLocker } from './redlock-locker.ts';

/** Its README: unlimited retries. */
const patient = { retryCount: -1 };

/** As its README shows it, asked for every 200 ± 200 ms. */
export const redlock = library('redlock', patient);

/** Polling more often makes it slower: its own attempts delay each other. */
export const redlockFast = library('redlock, every 5 ± 5 ms', { ...patient, retryDelay: 5, retryJitter: 5 });

function library(name: string, settings: Settings): Library {
  return {
    name,
    open: async (port) => {
      const [{ Redis }, { default: Redlock }] = await Promise.all([import('ioredis'), import('redlock')]);
      const client = new Redis(port);
      return redlockLocker(new Redlock([client], settings), client);
    },
  };
}
