import { describe, test } from 'vitest';
import { conformance } from '../../src/testing/index.ts';
import { virtualSurroundings } from './virtual-surroundings.ts';
import { WiredMemoryHarness } from './wired-memory-harness.ts';

// Everything takes its time to get there, and the world goes on meanwhile.
conformance({ describe, test, harness: new WiredMemoryHarness(virtualSurroundings({ exact: false }), 7) });
