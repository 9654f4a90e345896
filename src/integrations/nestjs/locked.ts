import type { AcquireOptions } from '../../spi/synchronizers.ts';
import type { LockName } from './lock-name.ts';
import { wrapMethod } from './wrap-method.ts';

/** What {@link Locked} takes. */
export interface LockedOptions extends Pick<AcquireOptions, 'timeoutMs' | 'leaseMs'> {
  /** The name of the engine object, where an application has several. */
  readonly engine?: string;
}

/**
 * Runs each call of a method under a lock: `@Locked('orders:{id}', { timeoutMs: 200 })` over `ship(id: string)`. A call that does
 * not get it rejects with an `AcquireTimeoutError`, and the method is not called. Inside, the same lock re-enters.
 */
export function Locked(name: LockName, { engine, ...options }: LockedOptions = {}): MethodDecorator {
  return wrapMethod(name, engine, (lock, call) => lock.run(call, options));
}
