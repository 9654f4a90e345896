import type { Barrier } from './api/barrier.ts';
import type { Election } from './api/election.ts';
import type { Latch } from './api/latch.ts';
import type { TimedLock } from './api/lock.ts';
import type { Monitor } from './api/monitor.ts';
import type { PermitSemaphore } from './api/permit-semaphore.ts';
import type { ReadWriteLock } from './api/read-write-lock.ts';
import type { Semaphore } from './api/semaphore.ts';
import type { Json } from './json.ts';
import type { Verbs } from './rule.ts';
import type { BarrierLook, BarrierVerbs, BreakReason } from './verbs/barrier.ts';
import type { ElectionLook, ElectionVerbs } from './verbs/election.ts';
import type { LatchLook, LatchVerbs } from './verbs/latch.ts';
import type { LockLook, LockVerbs } from './verbs/lock.ts';
import type { MonitorLook, MonitorVerbs } from './verbs/monitor.ts';
import type { PermitSemaphoreLook, PermitSemaphoreVerbs } from './verbs/permit-semaphore.ts';
import type { ReadWriteLockLook, ReadWriteLockVerbs } from './verbs/read-write-lock.ts';
import type { SemaphoreLook, SemaphoreVerbs } from './verbs/semaphore.ts';

/** The types that belong to one kind of synchronizer. */
interface KindTypes {
  /** The factory that an engine object offers to users. */
  readonly factory: (name: string, options: never) => unknown;
  /** What the rule of the kind can be asked, and what it answers. */
  readonly verbs: Verbs;
  /** What the rule shows of a record to a query. */
  readonly look: unknown;
  /** What an inspector describes beside name, holders and waiters. */
  readonly details: object;
}

/** The types of one kind. The value that has them is empty: at run time only the name of the kind exists. */
type Types<T extends KindTypes> = T;

/**
 * The list of types: every kind of synchronizer, by the name of its factory, in the order in which pages and programs
 * show them. The list of values is `src/kernels/kinds.ts`. {@link Factories}, `Protocols`, `Description` and the words of
 * the command line are derived from the two, so a new synchronizer is added here, there, and nowhere else.
 *
 * The tempting alternative is an interface. The command line needs the names at run time before it loads an engine, and
 * would keep a third list.
 */
export const KINDS = {
  /** One holder at a time. */
  lock: {} as Types<{
    factory: (name: string) => TimedLock;
    verbs: LockVerbs;
    look: LockLook;
    details: object;
  }>,
  /** One holder at a time, first come, first served. */
  fairLock: {} as Types<{
    factory: (name: string) => TimedLock;
    verbs: LockVerbs;
    look: LockLook;
    details: object;
  }>,
  /** Many readers or one writer. */
  readWriteLock: {} as Types<{
    factory: (name: string) => ReadWriteLock;
    verbs: ReadWriteLockVerbs;
    look: ReadWriteLockLook;
    details: object;
  }>,
  /** A number of permits, which a crash gives back. */
  semaphore: {} as Types<{
    factory: (name: string, options: { readonly permits: number }) => Semaphore;
    verbs: SemaphoreVerbs;
    look: SemaphoreLook;
    details: {
      readonly available: number;
      /** Infinity where only other programs hold permits, and the store keeps no number. */
      readonly permits: number;
    };
  }>,
  /** Permits with an id, which one process can acquire and another release. */
  permitSemaphore: {} as Types<{
    factory: (name: string, options: { readonly permits: number }) => PermitSemaphore;
    verbs: PermitSemaphoreVerbs;
    look: PermitSemaphoreLook;
    details: { readonly available: number; readonly permits: number };
  }>,
  /** A gate that opens when a count reaches zero. */
  latch: {} as Types<{
    factory: (name: string) => Latch;
    verbs: LatchVerbs;
    look: LatchLook;
    details: { readonly count: number };
  }>,
  /** A meeting point of a fixed number of parties, round after round. */
  barrier: {} as Types<{
    factory: (name: string, options: { readonly parties: number }) => Barrier;
    verbs: BarrierVerbs;
    look: BarrierLook;
    details: {
      readonly parties: number;
      readonly generation: number;
      readonly broken: BreakReason | undefined;
    };
  }>,
  /** One leader at a time, which publishes a value. */
  election: {} as Types<{
    factory: <V = string>(name: string) => Election<V>;
    verbs: ElectionVerbs;
    look: ElectionLook;
    details: { /** What the leader published. */ readonly value: Json };
  }>,
  /** A guarded state, and conditions to wait for. */
  monitor: {} as Types<{
    factory: <S>(name: string, options: { readonly initial: S }) => Monitor<S>;
    verbs: MonitorVerbs;
    look: MonitorLook;
    details: {
      readonly state: Json;
      /** How many wait on each condition; those who wait to enter are in `waiters`. */
      readonly conditions: Readonly<Record<string, number>>;
    };
  }>,
};

/** The types of all kinds, by kind. */
export type Kinds = typeof KINDS;

/** The kinds of synchronizers, by the names of their factories. */
export type Kind = keyof Kinds;
