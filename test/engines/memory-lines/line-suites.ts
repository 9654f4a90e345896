import { describe, test, vi } from 'vitest';
import { engineSuite } from '../../../src/testing/suites/engine-suite.ts';
import { multiLockSuite } from '../../../src/testing/suites/multi-lock-suite.ts';
import { quorumLockSuite } from '../../../src/testing/suites/quorum-lock-suite.ts';
import type { Skip } from '../../../src/testing/suites/suite.ts';
import { suites } from '../../../src/testing/suites/suites.ts';
import { CELL_KINDS, LINE_KINDS, type LineKind } from '../../fixtures/lines/memory-lines.ts';
import { quorumSkips } from '../../fixtures/lines/quorum-skips.ts';
import type { MemoryLinesHarness } from './memory-lines-harness.ts';

/** In virtual time nothing is late; on a busy machine hundreds of clients that read after each change still take their time. */
vi.setConfig({ testTimeout: 120_000 });

const QUERIES = 'queries tell what any client can see';

/** The store has no clock and no leases: what is left of a lease is known to the client alone that ends it. */
const withoutLeases = (...tests: readonly string[]): Skip => ({
  reason: 'no other client knows what is left of a lease that its client ends',
  tests,
});

const skips: Readonly<Partial<Record<LineKind, readonly Skip[]>>> = {
  lock: [withoutLeases(QUERIES)],
  fairLock: [withoutLeases(QUERIES)],
  readWriteLock: [withoutLeases(`read side: ${QUERIES}`, `write side: ${QUERIES}`)],
};

/** The published suites of everything that is a line, and of what is composed of its locks. */
export function lineSuites(
  harness: MemoryLinesHarness,
  moreSkips: Readonly<Partial<Record<LineKind, readonly Skip[]>>> = {},
): void {
  engineSuite({ describe, test, harness });
  multiLockSuite({ describe, test, harness });
  quorumLockSuite({ describe, test, harness, skip: quorumSkips });
  for (const kind of LINE_KINDS) {
    const skip = [...(skips[kind] ?? []), ...(moreSkips[kind] ?? [])];
    suites[kind]({ describe, test, harness, skip });
  }
  for (const kind of CELL_KINDS) suites[kind]({ describe, test, harness });
}
