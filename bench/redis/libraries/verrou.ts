import type { Library } from '../../library.ts';
import { connect } from '../connections.ts';

/** As its pages show it: endless patience, asked for every 250 ms. */
export const verrou = library('verrou', {});

/** Asked for as often as a timer can. */
export const verrouFast = library('verrou, every 1 ms', { retry: { delay: 1 } });

function library(name: string, options: { readonly retry?: { readonly delay: number } }): Library {
  return {
    name,
    open: async (port) => {
      const [connection, { LockFactory }, { redisStore }] = await Promise.all([
        connect['ioredis 5'](port),
        import('@verrou/core'),
        import('@verrou/core/drivers/redis'),
      ]);
      const { client } = connection;
      const locks = new LockFactory(redisStore({ connection: client }).factory(), options);
      return {
        loop: async (key, pairs) => {
          for (let done = 0; done < pairs; done += 1) {
            const lock = locks.createLock(key);
            await lock.acquire();
            await lock.release();
          }
        },
        acquire: async (key) => {
          const lock = locks.createLock(key);
          await lock.acquire();
          return () => lock.release();
        },
        close: async () => connection.close(),
      };
    },
  };
}
