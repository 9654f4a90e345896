import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LockOptions } from 'proper-lockfile';
import type { Library } from '../../library.ts';

/** A waiter waits without limit, as in every library measured: without `retries` it fails at once. */
const patient = { forever: true };

/** Its own times between the retries: one second, then two, then four. */
export const properLockfile = library('proper-lockfile', { retries: patient });

/** Asked for as often as a timer can, and without following links to the file. */
export const properLockfileFast = library('proper-lockfile, every 1 ms', {
  retries: { ...patient, retries: 1, factor: 1, minTimeout: 1 },
  realpath: false,
});

/** A lock is a file that exists, and a folder beside it while it is locked. */
function library(name: string, options: LockOptions): Library {
  return {
    name,
    open: async (_port, folder) => {
      const { lock } = await import('proper-lockfile');
      const made = new Map<string, Promise<string>>();
      const fileOf = (key: string): Promise<string> => {
        const known = made.get(key);
        if (known !== undefined) return known;
        const file = join(folder, `${key}.txt`);
        const written = writeFile(file, '').then(() => file);
        made.set(key, written);
        return written;
      };
      return {
        loop: async (key, pairs) => {
          const file = await fileOf(key);
          for (let done = 0; done < pairs; done += 1) {
            const release = await lock(file, options);
            await release();
          }
        },
        acquire: async (key) => lock(await fileOf(key), options),
        close: async () => undefined,
      };
    },
  };
}
