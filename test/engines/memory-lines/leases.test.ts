import { describe, test } from 'vitest';
import { semaphoreSuite } from '../../../src/testing/suites/semaphore-suite.ts';
import { virtualSurroundings } from '../virtual-surroundings.ts';
import { MemoryLinesHarness } from './memory-lines-harness.ts';

// Curator's semaphore: a line of leases, and a mutex in front of it. Each of the two in exact time, and with latencies that differ.
describe.each([
  { of: 'in exact time', exact: true, latencyMs: () => 0 },
  { of: 'over a network', exact: false, latencyMs: (random: () => number) => 1 + 9 * random() },
])('$of', ({ exact, latencyMs }) => {
  const harness = new MemoryLinesHarness(virtualSurroundings({ exact }), { latencyMs, leasesPermits: true });
  semaphoreSuite({ describe, test, harness });
});
