import type { Hold } from '../../spi/api/hold.ts';
import type { Inspector } from '../../spi/engine/inspector.ts';

/** The key of a hold, and the revision that made it: as long as both are so, the hold stands. */
export interface KeyCheck {
  /** Which step it is. */
  readonly type: 'check';
  /** The whole key, with what is in front of every key. */
  readonly key: string;
  /** What etcd calls the create revision. 0 of a key that is absent. */
  readonly createRevision: bigint;
}

/** One step of {@link EtcdExtras.txn}. Keys are whole: `keyPrefix` is not put in front of them. */
export type TxnStep =
  | KeyCheck
  | { readonly type: 'put'; readonly key: string; readonly value: string | Uint8Array }
  | { readonly type: 'delete'; readonly key: string };

/** What only etcd has, beside the synchronizers. */
export interface EtcdExtras {
  /** Shows what is held and waited for, also by programs that use etcd's concurrency package, and can break a hold. */
  readonly inspector: Inspector;
  /**
   * What a transaction has to compare so that it writes only while this hold stands: no late write can pass it. For {@link EtcdExtras.txn},
   * or for a transaction of a client of your own. For holds of `lock`, `fairLock`, `readWriteLock` and `election` of this engine object;
   * of a read under a write, check the hold of the write. A hold that was checked goes back to the store when it is released, and is not
   * handed over to another owner of this process. Throws a `LeaseLostError` if the hold is lost already.
   */
  check(hold: Hold): KeyCheck;
  /**
   * Carries out all steps in one transaction of etcd, or none, and answers its revision. Rejects with a `LeaseLostError` if a hold that
   * was checked is gone; with an `EngineError` otherwise. A `retryable` one leaves the outcome unknown.
   */
  txn(steps: readonly TxnStep[]): Promise<bigint>;
}
