import { describe, test } from 'vitest';
import { conformance, lockSuite, semaphoreSuite } from '../../src/testing/index.ts';
import { MemoryHarness } from './memory-harness.ts';
import { MortalMemoryHarness } from './mortal-memory-harness.ts';
import { virtualSurroundings } from './virtual-surroundings.ts';

conformance({ describe, test, harness: new MortalMemoryHarness(virtualSurroundings()) });

// A store and a client that share a clock look at it once for both: another path through the core.
describe('on one clock', () => {
  const harness = new MemoryHarness(virtualSurroundings());
  lockSuite({ describe, test, harness });
  semaphoreSuite({ describe, test, harness });
});
