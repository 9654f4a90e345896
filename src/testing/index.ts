/** For authors of engines: the suites that every engine must pass, and what it provides to be tested. */
export type * from './harness.ts';
export type { Bench } from './bench.ts';
export {
  type Case,
  type Cases,
  type Need,
  type Runner,
  type Skip,
  type Suite,
  type SuiteOptions,
} from './suite.ts';
export { needing, suiteOf } from './suite.ts';
export { barrierSuite } from './barrier-suite.ts';
export { conformance, type ConformanceOptions, type SuiteName } from './conformance.ts';
export { electionSuite } from './election-suite.ts';
export { engineSuite } from './engine-suite.ts';
export { fairLockSuite } from './fair-lock-suite.ts';
export { latchSuite } from './latch-suite.ts';
export { lockSuite } from './lock-suite.ts';
export { monitorSuite } from './monitor-suite.ts';
export { multiLockSuite } from './multi-lock-suite.ts';
export { permitSemaphoreSuite } from './permit-semaphore-suite.ts';
export { quorumLockSuite } from './quorum-lock-suite.ts';
export { readWriteLockSuite } from './read-write-lock-suite.ts';
export { semaphoreSuite } from './semaphore-suite.ts';
export { suites } from './suites.ts';
