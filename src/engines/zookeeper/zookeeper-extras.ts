import type { Inspector } from '../../spi/engine/inspector.ts';
import type { Hold } from '../../spi/api/hold.ts';
import type { MultiResult } from './client/protocol/multi.ts';
import type { MultiStep } from './client/zookeeper-client.ts';

/** What only ZooKeeper has, beside the synchronizers. */
export interface ZooKeeperExtras {
  /** Shows what is held and waited for, by Curator too, and can break a hold. */
  readonly inspector: Inspector;
  /**
   * The step that makes a {@link ZooKeeperExtras.multi} fail unless this hold stands, in the very transaction that writes: no
   * late write can pass it. For holds of `lock`, `fairLock`, `readWriteLock` and `election` of this engine object. A hold that was
   * checked goes back to the servers when it is released, and is not handed over to another owner of this process. Throws a
   * `LeaseLostError` if the hold is lost already.
   */
  check(hold: Hold): MultiStep;
  /**
   * Carries out all steps in one transaction of ZooKeeper, or none. Paths are below the chroot and the namespace. Rejects with a
   * `LeaseLostError` if a hold that was checked is gone; with an `EngineError` whose `cause.code` is that of ZooKeeper otherwise. A
   * `retryable` one leaves the outcome unknown.
   */
  multi(steps: readonly MultiStep[]): Promise<readonly MultiResult[]>;
}
