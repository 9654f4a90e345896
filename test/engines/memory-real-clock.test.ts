import { describe, test } from 'vitest';
import { lockSuite } from '../../src/testing/index.ts';
import { MortalMemoryHarness } from './mortal-memory-harness.ts';
import { realSurroundings } from './real-surroundings.ts';

// Once more without the virtual clock.
lockSuite({ describe, test, harness: new MortalMemoryHarness(realSurroundings) });
