import { virtualSurroundings } from '../virtual-surroundings.ts';
import { lineSuites } from './line-suites.ts';
import { MemoryLinesHarness } from './memory-lines-harness.ts';

// Each message takes a time of its own: those of one connection keep their order, those of different clients overtake each other.
const latencyMs = (random: () => number): number => 1 + 9 * random();
lineSuites(new MemoryLinesHarness(virtualSurroundings({ exact: false }), { latencyMs }));
