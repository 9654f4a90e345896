import { onTestFinished } from 'vitest';
import { systemClock, systemRandom } from '../../../../src/core/time/clock.ts';
import {
  ZooKeeperClient,
  type ZooKeeperClientOptions,
} from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';

/** A client by real time, closed when the test has finished. */
export function openClient(
  servers: string,
  options: Partial<Omit<ZooKeeperClientOptions, 'servers'>> = {},
): ZooKeeperClient {
  const client = new ZooKeeperClient({
    servers,
    clock: systemClock,
    random: systemRandom,
    sessionMs: 10_000,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
