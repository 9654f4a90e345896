import type { IoredisModule } from '../opening/client-module.ts';
import { IoredisClusterDriver } from './ioredis-cluster-driver.ts';
import { IoredisDriver } from './ioredis-driver.ts';
import { waitForIoredis } from './ioredis-ready.ts';
import { type Opening, reconnectDelayMs } from '../opened-connections.ts';
import type { RedisAddress } from '../opening/redis-address.ts';

/** Creates an ioredis client of our own. */
export function openIoredis(module: IoredisModule, address: RedisAddress): Opening {
  const { hosts, username, password, database } = address;
  const tls = address.tls ? { ...address.tlsOptions } : undefined;
  const family = address.family === undefined ? {} : { family: address.family };
  const login = { connectionName: 'holdfast', username, password, ...family };

  if (address.topology === 'cluster') {
    const cluster = new module.Cluster(hosts, {
      redisOptions: { ...login, tls },
      clusterRetryStrategy: reconnectDelayMs,
      lazyConnect: true,
    });
    return opening(cluster, () => IoredisClusterDriver.owning(cluster));
  }

  const common = { ...login, db: database, tls, retryStrategy: reconnectDelayMs, lazyConnect: true };
  const client =
    address.topology === 'single'
      ? new module.Redis({ ...common, ...hosts[0] })
      : new module.Redis({
          ...common,
          sentinels: hosts.map((host) => ({ ...host, ...family })),
          name: address.masterName,
          enableTLSForSentinelMode: address.tls,
          sentinelTLS: tls,
          // Without it the client would wait for a master that is cut off, although the sentinels have named another.
          failoverDetector: true,
        });
  return opening(client, () => IoredisDriver.owning(client));
}

function opening(
  client: Opening['emitter'] & { readonly status: string; connect(): Promise<void>; disconnect(): void },
  driver: () => IoredisDriver | IoredisClusterDriver,
): Opening {
  const abandoning = new AbortController();
  return {
    emitter: client,
    connect: async () => {
      client.connect().catch(() => undefined);
      await waitForIoredis(client, abandoning.signal);
      return driver();
    },
    abandon: async () => {
      abandoning.abort();
      const ended = new Promise<void>((resolve) => client.once('end', resolve));
      client.disconnect();
      // In the middle of an attempt the client finishes it first.
      if (client.status === 'connecting') await ended;
    },
  };
}
