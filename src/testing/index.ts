/** For authors of engines: the suites that every engine must pass, and the harness that an engine provides for them. */
export type * from './harness/harness.ts';
export type { Bench } from './harness/bench.ts';
export {
  type Case,
  type Cases,
  type Need,
  type Runner,
  type Skip,
  type Suite,
  type SuiteOptions,
} from './suites/suite.ts';
export { needing, suiteOf } from './suites/suite.ts';
export { barrierSuite } from './suites/barrier-suite.ts';
export { conformance, type ConformanceOptions, type SuiteName } from './suites/conformance.ts';
export { electionSuite } from './suites/election-suite.ts';
export { engineSuite } from './suites/engine-suite.ts';
export { fairLockSuite } from './suites/fair-lock-suite.ts';
export { latchSuite } from './suites/latch-suite.ts';
export { lockSuite } from './suites/lock-suite.ts';
export { monitorSuite } from './suites/monitor-suite.ts';
export { multiLockSuite } from './suites/multi-lock-suite.ts';
export { permitSemaphoreSuite } from './suites/permit-semaphore-suite.ts';
export { quorumLockSuite } from './suites/quorum-lock-suite.ts';
export { readWriteLockSuite } from './suites/read-write-lock-suite.ts';
export { semaphoreSuite } from './suites/semaphore-suite.ts';
export { suites } from './suites/suites.ts';
