import { describe, test } from 'vitest';
import { engineSuite } from '../../../src/testing/suites/engine-suite.ts';
import { suites } from '../../../src/testing/suites/suites.ts';
import { LINE_KINDS } from '../../fixtures/lines/memory-lines.ts';
import { virtualSurroundings } from '../virtual-surroundings.ts';
import { MemoryLinesHarness } from './memory-lines-harness.ts';

const harness = new MemoryLinesHarness(virtualSurroundings());
engineSuite({ describe, test, harness: harness as never });
for (const kind of LINE_KINDS) suites[kind]({ describe, test, harness: harness as never });
