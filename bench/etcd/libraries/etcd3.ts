import type { Library, Release } from '../../library.ts';

/** In seconds. It asks for a lease with each lock, as its page shows it. */
const TTL = 30;

/**
 * The package `etcd3`. Its lock does not wait: one that is held is an error, and a caller that wants it tries again. Here at once, which is the
 * soonest that it can have it.
 */
export const etcd3: Library = {
  name: 'etcd3, tried again at once',
  open: async (port) => {
    const { Etcd3, EtcdLockFailedError } = await import('etcd3');
    const client = new Etcd3({ hosts: `http://127.0.0.1:${port}` });
    const acquire = async (name: string): Promise<Release> => {
      for (;;) {
        const lock = client.lock(`/etcd3/${name}`).ttl(TTL);
        try {
          await lock.acquire();
          return () => lock.release();
        } catch (error) {
          if (!(error instanceof EtcdLockFailedError)) throw error;
        }
      }
    };
    return {
      loop: async (name, pairs) => {
        for (let done = 0; done < pairs; done += 1) {
          const release = await acquire(name);
          await release();
        }
      },
      acquire,
      close: async () => {
        client.close();
      },
    };
  },
};
