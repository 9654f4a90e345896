import { describe } from 'vitest';
import { PUBLISHED } from '../interop/curator/published-tests.ts';
import { publishedSuite } from './published-suite.ts';

/** As the jar of Curator's tests counts them, at 5.9.0. */
const COUNTS: Readonly<Record<string, number>> = {
  TestInterProcessMutexBase: 9,
  TestInterProcessMutex: 3,
  TestInterProcessSemaphoreMutex: 3,
  TestInterProcessMultiMutex: 2,
  TestInterProcessReadWriteLock: 8,
  TestInterProcessSemaphore: 12,
  TestInterProcessSemaphoreCluster: 2,
  TestLockACLs: 2,
  TestLockInternals: 2,
  TestLeaderLatch: 22,
  TestLeaderLatchCluster: 1,
  TestLeaderAcls: 1,
  TestLeaderSelector: 12,
  TestLeaderSelectorCluster: 2,
  TestLeaderSelectorEdges: 3,
  TestLeaderSelectorParticipants: 2,
  TestLeaderSelectorWithExecutor: 1,
  TestSharedCount: 8,
};

describe('Curator’s published tests', () => {
  publishedSuite(PUBLISHED, 'docs/wire/curator.md', COUNTS);
});
