import type { Client } from '../core/client.ts';
import { barrierRule } from '../rules/barrier.ts';
import { electionRule } from '../rules/election.ts';
import { latchRule } from '../rules/latch.ts';
import { lockRule } from '../rules/lock.ts';
import { monitorRule } from '../rules/monitor.ts';
import { permitSemaphoreRule } from '../rules/permit-semaphore.ts';
import { readWriteLockRule } from '../rules/read-write-lock.ts';
import { semaphoreRule } from '../rules/semaphore.ts';
import type { HolderSighting } from '../spi/engine/inspector.ts';
import type { ProtocolOf } from '../spi/engine/protocols.ts';
import type { Kind, Kinds } from '../spi/kinds.ts';
import type { Rule } from '../spi/rule.ts';
import { createBarrier } from '../synchronizers/barrier.ts';
import { createElection } from '../synchronizers/election/election.ts';
import { createLatch } from '../synchronizers/latch.ts';
import { createFairLock, createLock } from '../synchronizers/lock/plain-lock.ts';
import { createReadWriteLock } from '../synchronizers/lock/read-write-lock.ts';
import { createMonitor } from '../synchronizers/monitor/monitor.ts';
import { createPermitSemaphore } from '../synchronizers/semaphores/permit-semaphore.ts';
import { createSemaphore } from '../synchronizers/semaphores/semaphore.ts';
import { forceHolder, forceSide, releasePermits } from './inspector/force.ts';
import {
  viewBarrier,
  viewElection,
  viewLatch,
  viewLock,
  viewMonitor,
  type ViewOf,
  viewPermits,
  viewReadWriteLock,
} from './inspector/views.ts';

/** What the kernels know of one kind. */
export interface KindValues<K extends Kind> {
  /** What the synchronizer means. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a rule takes its state in and gives it out: no other type fits all
  readonly rule: Rule<any, Kinds[K]['verbs'], Kinds[K]['look']>;
  /** Makes the factory of an engine object over the engine's protocol. */
  readonly factory: (client: Client, protocol: ProtocolOf<K>) => Kinds[K]['factory'];
  /** What an inspector shows of a record. */
  readonly view: ViewOf<K>;
  /** Takes the hold from a holder that was seen. Missing for a kind without holders. */
  readonly breakHold?: (protocol: ProtocolOf<K>, name: string, holder: HolderSighting) => Promise<boolean>;
}

/**
 * The list of values: the rule, the object, and the view of each kind. The list of types is `src/spi/kinds.ts`; a kind that
 * is in one of the two and not in the other does not compile.
 *
 * Each entry writes its factory out. The tempting alternative, one closure that calls `create` of whichever kind, is one
 * call site for all kinds, which the engine of the language cannot inline.
 */
export const kinds: { readonly [K in Kind]: KindValues<K> } = {
  lock: {
    rule: lockRule({ fair: false }),
    factory: (client, protocol) => (name) => createLock(client, protocol, name),
    view: viewLock,
    breakHold: forceHolder,
  },
  // The lock with a queue that decides.
  fairLock: {
    rule: lockRule({ fair: true }),
    factory: (client, protocol) => (name) => createFairLock(client, protocol, name),
    view: viewLock,
    breakHold: forceHolder,
  },
  readWriteLock: {
    rule: readWriteLockRule,
    factory: (client, protocol) => (name) => createReadWriteLock(client, protocol, name),
    view: viewReadWriteLock,
    breakHold: forceSide,
  },
  semaphore: {
    rule: semaphoreRule,
    factory: (client, protocol) => (name, options) => createSemaphore(client, protocol, name, options),
    view: viewPermits,
    breakHold: releasePermits,
  },
  permitSemaphore: {
    rule: permitSemaphoreRule,
    factory: (client, protocol) => (name, options) => createPermitSemaphore(client, protocol, name, options),
    view: viewPermits,
    breakHold: releasePermits,
  },
  latch: {
    rule: latchRule,
    factory: (client, protocol) => (name) => createLatch(client, protocol, name),
    view: viewLatch,
  },
  barrier: {
    rule: barrierRule,
    factory: (client, protocol) => (name, options) => createBarrier(client, protocol, name, options),
    view: viewBarrier,
  },
  election: {
    rule: electionRule,
    factory: (client, protocol) => (name) => createElection(client, protocol, name),
    view: viewElection,
    breakHold: forceHolder,
  },
  monitor: {
    rule: monitorRule,
    factory: (client, protocol) => (name, options) => createMonitor(client, protocol, name, options),
    view: viewMonitor,
    breakHold: forceHolder,
  },
};
