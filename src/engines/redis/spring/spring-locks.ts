import { checkLeaseMs, checkName, checkOptions, shown, subjectOf } from '../../../core/arguments.ts';
import { createLockOfKind } from '../../../synchronizers/lock/plain-lock.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import { argumentTypeError, type ErrorSubject } from '../../../spi/errors.ts';
import type { FencedLock } from '../../../spi/synchronizers.ts';
import type { RedisContext } from '../redis-context.ts';
import { SpringKeys } from './spring-keys.ts';
import type { SpringLockType } from './spring-listening.ts';
import { springLockProtocol } from './spring-lock-protocol.ts';

/** The settings of a Spring registry. */
export interface SpringLockOptions {
  /**
   * The `RedisLockType` of the Java program: `spin` for `SPIN_LOCK`, which is Spring's default, `pubSub` for
   * `PUB_SUB_LOCK`. If the two sides differ the lock still excludes, but a waiter may learn of a release late.
   */
  readonly type: SpringLockType;
  /** The lease of renewed holds, which Spring calls `expireAfter`. Default: 60 seconds, as in Spring. */
  readonly renewalLeaseMs?: number;
}

/** A lock of Spring Integration's `RedisLockRegistry`: `<registryKey>:<lockKey>` in Redis. */
export type SpringLockFactory = (
  registryKey: string,
  lockKey: string,
  options: SpringLockOptions,
) => FencedLock;

const kind = 'springLock';
const OPTIONS: readonly (keyof SpringLockOptions)[] = ['type', 'renewalLeaseMs'];
const USUAL_LEASE_MS = 60_000;

interface Registry {
  readonly type: SpringLockType;
  readonly keys: SpringKeys;
  readonly protocol: Protocols['lock'];
}

export function springLocks(parts: RedisContext): SpringLockFactory {
  const { client } = parts;
  const inCluster = parts.scripts.driver.topology === 'cluster';
  const registries = new Map<string, Registry>();

  function registryOf(registryKey: string, type: SpringLockType, subject: ErrorSubject): Registry {
    const known = registries.get(registryKey);
    if (known?.type === type) return known;
    // A process that reported only some of its releases would leave its own waiters asleep.
    if (known !== undefined) {
      throw argumentTypeError(
        `${subject.resource}: the registry ${shown(registryKey)} is already in use with the type '${known.type}'. Use the same type for all its locks.`,
        subject,
      );
    }
    const keys = new SpringKeys(registryKey);
    const registry = { type, keys, protocol: springLockProtocol(parts, keys, type) };
    registries.set(registryKey, registry);
    return registry;
  }

  return (registryKey, lockKey, options) => {
    checkName(registryKey, `${kind} registry`, client.label);
    checkName(lockKey, kind, client.label);
    const subject = subjectOf(kind, `${registryKey}:${lockKey}`, client.label);
    checkOptions(options, OPTIONS, subject);
    const { type, renewalLeaseMs = USUAL_LEASE_MS } = options ?? {};
    if (type !== 'spin' && type !== 'pubSub') {
      throw argumentTypeError(
        `${subject.resource}: type must be 'spin' or 'pubSub', as in Java, not ${shown(type)}.`,
        subject,
      );
    }
    checkLeaseMs(renewalLeaseMs, 'renewalLeaseMs', subject);
    const { keys, protocol } = registryOf(registryKey, type, subject);
    const lock = keys.lock(lockKey);
    if (inCluster) keys.checkOneSlot(lock, type === 'pubSub', subject);
    return createLockOfKind(client, protocol, lock, { kind, renewalLeaseMs });
  };
}
