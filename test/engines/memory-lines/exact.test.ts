import { virtualSurroundings } from '../virtual-surroundings.ts';
import { lineSuites } from './line-suites.ts';
import { MemoryLinesHarness } from './memory-lines-harness.ts';

// Every answer is a promise, and time is exact.
lineSuites(new MemoryLinesHarness(virtualSurroundings()));
