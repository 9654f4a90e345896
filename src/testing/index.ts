export type * from './harness.ts';
export type { Case, Cases, Need, Runner, Skip, Suite, SuiteOptions } from './suite.ts';
export { lockSuite } from './lock-suite.ts';
export { fairLockSuite } from './fair-lock-suite.ts';
