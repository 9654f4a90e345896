import { systemClock, systemRandom } from '../../core/time/clock.ts';
import type { Kind } from '../../spi/engine/inspector.ts';
import type { Lock, Synchronizers } from '../../spi/synchronizers.ts';
import type { EtcdExtras } from './etcd-extras.ts';
import type { EtcdOptions } from './etcd-options.ts';
import { assembleEtcd, type etcdTraits } from './open-etcd.ts';

export type * from '../../spi/engine/inspector.ts';
export type { EtcdUser } from './client/session/auth-token.ts';
export type { EtcdError, EtcdErrorCode } from './client/transport/etcd-error.ts';
export type { EtcdExtras, KeyCheck, TxnStep } from './etcd-extras.ts';
export type { EtcdOptions, EtcdSettings } from './etcd-options.ts';

/**
 * What `etcd()` returns: nine synchronizers and what only etcd has. Its locks have no `raiseFence`: the fence is a revision of the store, which
 * no client can raise.
 */
export type EtcdSynchronizers = Synchronizers<Kind, Lock> &
  EtcdExtras & {
    /** What users can count on in this engine. */
    readonly traits: typeof etcdTraits;
  };

/**
 * Synchronizers on your etcd, in the layout of etcd's concurrency package: `etcdctl lock`, `etcdctl elect` and Go programs hold and wait for
 * the same locks. Needs etcd 3.4 or newer, and no package. The session opens with the first call.
 *
 * @example
 * ```ts no-run needs an etcd; test/engines/etcd/engine/connect.test.ts runs it on one
 * import { etcd } from 'holdfast/etcd';
 *
 * const locks = etcd({ endpoints: '127.0.0.1:2379' });
 * // The same lock as `etcdctl lock /locks/report`.
 * await locks.lock('/locks/report').run((hold) => console.log(hold.fence > 0n)); // true
 * await locks.close();
 * ```
 */
export function etcd(options: EtcdOptions): EtcdSynchronizers {
  return assembleEtcd(options, { clock: systemClock, random: systemRandom }).locks;
}
