import { systemClock, systemRandom } from '../../../src/core/time/clock.ts';
import { openZooKeeper } from '../../../src/engines/zookeeper/open-zookeeper.ts';
import type { ZooKeeperOptions } from '../../../src/engines/zookeeper/zookeeper-options.ts';

export type NodeLocks = ReturnType<typeof openZooKeeper>;

export function openLocks(options: ZooKeeperOptions): NodeLocks {
  return openZooKeeper(options, { clock: systemClock, random: systemRandom });
}
