import { etcdTrials } from './etcd/trials/index.ts';
import { heapTrials } from './heap/trials.ts';
import { memoryTrials } from './memory/trials/index.ts';
import { redisTrials } from './redis/trials/index.ts';
import { sqlTrials } from './sql/trials/index.ts';
import type { Trial } from './trial.ts';
import { zooKeeperTrials } from './zookeeper/trials/index.ts';

/** Every trial there is. */
export const trials: readonly Trial[] = [
  ...memoryTrials,
  ...redisTrials,
  ...sqlTrials,
  ...zooKeeperTrials,
  ...etcdTrials,
  ...heapTrials,
];
