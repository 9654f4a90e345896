import type { Factories } from '../../index.ts';
import { barrierSuite } from './barrier-suite.ts';
import { electionSuite } from './election-suite.ts';
import { fairLockSuite } from './fair-lock-suite.ts';
import { latchSuite } from './latch-suite.ts';
import { lockSuite } from './lock-suite.ts';
import { monitorSuite } from './monitor-suite.ts';
import { permitSemaphoreSuite } from './permit-semaphore-suite.ts';
import { readWriteLockSuite } from './read-write-lock-suite.ts';
import { semaphoreSuite } from './semaphore-suite.ts';
import type { Suite } from './suite.ts';

/** The suite of each factory. A factory without a suite does not compile, so that none goes untested. */
export const suites: { readonly [K in keyof Factories]: Suite<K> } = {
  lock: lockSuite,
  fairLock: fairLockSuite,
  readWriteLock: readWriteLockSuite,
  semaphore: semaphoreSuite,
  permitSemaphore: permitSemaphoreSuite,
  latch: latchSuite,
  barrier: barrierSuite,
  election: electionSuite,
  monitor: monitorSuite,
};
