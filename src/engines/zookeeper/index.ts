import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Kind } from '../../spi/engine/inspector.ts';
import type { Lock, Synchronizers } from '../../spi/synchronizers.ts';
import { openZooKeeper, type zooKeeperTraits } from './open-zookeeper.ts';
import type { ZooKeeperExtras } from './zookeeper-extras.ts';
import type { ZooKeeperOptions } from './zookeeper-options.ts';

export type * from '../../spi/engine/inspector.ts';
export {
  type AccessRule,
  creatorAccess,
  digestId,
  openAccess,
  permission,
} from './client/protocol/access-rule.ts';
export type { MultiResult } from './client/protocol/multi.ts';
export type { NodeMode } from './client/protocol/node-operations.ts';
export type { NodeStat } from './client/protocol/node-stat.ts';
export type { AuthInfo } from './client/protocol/session-operations.ts';
export type { ZooKeeperError, ZooKeeperErrorCode } from './client/protocol/zookeeper-error.ts';
export type { SaslUser } from './client/session/sasl-digest-md5.ts';
export type { MultiStep } from './client/zookeeper-client.ts';
export type { ZooKeeperExtras } from './zookeeper-extras.ts';
export type { ZooKeeperOptions, ZooKeeperSettings } from './zookeeper-options.ts';

/** The kinds that ZooKeeper has: all but the permit semaphore, whose permits outlive the session that took them. */
export type ZooKeeperKind = Exclude<Kind, 'permitSemaphore'>;

/**
 * What `zookeeper()` returns: eight synchronizers and what only ZooKeeper has. Its locks have no `raiseFence`: the fence is a number of
 * the servers, which no client can raise.
 */
export type ZooKeeperSynchronizers = Synchronizers<ZooKeeperKind, Lock> &
  ZooKeeperExtras & {
    /** What users can count on in this engine. */
    readonly traits: typeof zooKeeperTraits;
  };

/**
 * Synchronizers on your ZooKeeper, in the layout of Apache Curator: a Java program that uses Curator holds and waits for the same
 * locks. Needs ZooKeeper 3.6 or newer, and no package. The session opens with the first call.
 *
 * @example
 * ```ts no-run needs a ZooKeeper; test/engines/zookeeper/engine/examples.test.ts runs it on one
 * import { zookeeper } from 'holdfast/zookeeper';
 *
 * const locks = zookeeper({ servers: '127.0.0.1:2181' });
 * // The same lock as `new InterProcessMutex(client, "/locks/report")` in Java.
 * await locks.lock('/locks/report').run((hold) => console.log(hold.fence > 0n)); // true
 * await locks.close();
 * ```
 */
export function zookeeper(options: ZooKeeperOptions): ZooKeeperSynchronizers {
  return openZooKeeper(options, { clock: systemClock, random: systemRandom });
}
