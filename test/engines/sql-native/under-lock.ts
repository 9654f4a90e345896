import type { NativeEngine } from './native-engine.ts';

/** All locks of databases that can be had, each by one word. */
export type LockKind = 'advisoryLock' | 'transactionAdvisoryLock' | 'namedLock' | 'rowLock' | 'tableLock';

export interface AnyHold {
  readonly fence: bigint;
  readonly lost: AbortSignal;
  throwIfLost(): void;
}

interface AnyLock {
  run<T>(fn: (hold: AnyHold) => Promise<T>, options: object): Promise<T>;
}

const lockOf: Readonly<Record<LockKind, (locks: NativeEngine, name: string) => AnyLock>> = {
  rowLock: (locks, name) => locks.rowLock(name),
  transactionAdvisoryLock: (locks, name) => locks.advisoryLock(name, { scope: 'transaction' }),
  advisoryLock: (locks, name) => locks.advisoryLock(name),
  namedLock: (locks, name) => locks.namedLock(name),
  tableLock: (locks, name) => locks.tableLock(name, { renewalLeaseMs: 2_000 }),
};

/** Runs a function under one of them. */
export function underLock<T>(
  locks: NativeEngine,
  kind: LockKind,
  name: string,
  fn: (hold: AnyHold) => Promise<T>,
  options: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<T> {
  return lockOf[kind](locks, name).run(fn, options);
}
