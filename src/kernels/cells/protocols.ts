import type { HoldingProtocol, Protocol } from '../../spi/engine/protocol.ts';
import type { BarrierLook, BarrierVerbs } from '../../spi/verbs/barrier.ts';
import type { ElectionLook, ElectionVerbs } from '../../spi/verbs/election.ts';
import type { LatchLook, LatchVerbs } from '../../spi/verbs/latch.ts';
import type { LockLook, LockVerbs, UnraisedLockVerbs } from '../../spi/verbs/lock.ts';
import type { MonitorLook, MonitorVerbs } from '../../spi/verbs/monitor.ts';
import type { PermitSemaphoreLook, PermitSemaphoreVerbs } from '../../spi/verbs/permit-semaphore.ts';
import type { ReadWriteLockLook, ReadWriteLockVerbs } from '../../spi/verbs/read-write-lock.ts';
import type { SemaphoreLook, SemaphoreVerbs } from '../../spi/verbs/semaphore.ts';

/** One protocol for each synchronizer. An engine that lacks one lacks the factory, in its type and at run time. */
export interface Protocols<V extends UnraisedLockVerbs = LockVerbs> {
  readonly lock: HoldingProtocol<V, LockLook>;
  readonly fairLock: HoldingProtocol<V, LockLook>;
  readonly readWriteLock: HoldingProtocol<ReadWriteLockVerbs, ReadWriteLockLook>;
  readonly semaphore: HoldingProtocol<SemaphoreVerbs, SemaphoreLook>;
  readonly permitSemaphore: HoldingProtocol<PermitSemaphoreVerbs, PermitSemaphoreLook>;
  readonly latch: Protocol<LatchVerbs, LatchLook>;
  readonly barrier: Protocol<BarrierVerbs, BarrierLook>;
  readonly election: HoldingProtocol<ElectionVerbs, ElectionLook>;
  readonly monitor: HoldingProtocol<MonitorVerbs, MonitorLook>;
}
