import type { TimedLock } from '../../spi/synchronizers.ts';
import type { LockName } from './lock-name.ts';
import { wrapMethod } from './wrap-method.ts';

/** What {@link OncePer} takes. */
export interface OncePerOptions {
  /** The name of the lock that says that the period is taken. */
  readonly name: LockName;
  /** The name of the engine object, where an application has several. */
  readonly engine?: string;
}

/** The lock stays taken for so much of the period: schedules of two machines may differ by the rest. */
const SHARE = 11 / 12;

/**
 * Runs a method once in a period for the whole fleet, such as below `@Cron`: in every other process, and in every other call of the
 * period, it resolves to undefined. A method that throws has not run: the next call may.
 *
 * Not on ZooKeeper, whose locks end with the session of their holder.
 */
export function OncePer(periodMs: number, { name, engine }: OncePerOptions): MethodDecorator {
  return wrapMethod(name, engine, async (lock, call) => {
    const hold = await (lock as TimedLock).tryAcquire({ minHoldMs: periodMs * SHARE });
    if (hold === null) return undefined;
    try {
      const result = await call();
      await hold.release();
      return result;
    } catch (error) {
      await hold.release().catch(() => undefined);
      await lock.forceRelease({ fence: hold.fence }).catch(() => undefined);
      throw error;
    }
  });
}
