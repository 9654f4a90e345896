import { startZooKeeper } from '../../test/fixtures/zookeeper/zookeeper-server.ts';
import type { Place } from '../place.ts';

/**
 * One server that writes to the disk before it answers, with the times that it has when no setting was changed. The tests' own
 * settings would make a write faster, so that what our client adds to it looks larger, and would remove the folder of a free
 * lock every second.
 */
export async function startDurableZooKeeper(): Promise<Place> {
  const server = await startZooKeeper({
    settings: { tickTime: '2000', minSessionTimeout: '4000', maxSessionTimeout: '40000' },
    java: [
      '-Xmx512m',
      '-XX:TieredStopAtLevel=4',
      '-Dzookeeper.forceSync=yes',
      '-Dznode.container.checkIntervalMs=60000',
    ],
  });
  return { port: server.port, folder: server.dir, stop: () => server.stop() };
}
