import type { LockOptions } from 'redis-semaphore';
import type { Library } from '../../library.ts';
import { connect } from '../connections.ts';

/** A waiter waits without limit, as in every library measured: its own default gives up after ten seconds. */
const patient = { acquireTimeout: Number.POSITIVE_INFINITY };

/** As its README shows it: a mutex for each acquisition, asked for every 10 ms. */
export const redisSemaphore = library('redis-semaphore', patient);

/** Asked for as often as a timer can. */
export const redisSemaphoreFast = library('redis-semaphore, every 1 ms', { ...patient, retryInterval: 1 });

function library(name: string, options: LockOptions): Library {
  return {
    name,
    open: async (port) => {
      const [connection, { Mutex }] = await Promise.all([
        connect['ioredis 5'](port),
        import('redis-semaphore'),
      ]);
      const { client } = connection;
      return {
        loop: async (key, pairs) => {
          for (let done = 0; done < pairs; done += 1) {
            const mutex = new Mutex(client, key, options);
            await mutex.acquire();
            await mutex.release();
          }
        },
        acquire: async (key) => {
          const mutex = new Mutex(client, key, options);
          await mutex.acquire();
          return () => mutex.release();
        },
        close: async () => connection.close(),
      };
    },
  };
}
