import { describe, test } from 'vitest';
import { engineSuite, lockSuite } from '../../src/testing/index.ts';
import { MortalMemoryHarness } from './mortal-memory-harness.ts';
import { realSurroundings } from './real-surroundings.ts';

// Once more without the virtual clock.
const harness = new MortalMemoryHarness(realSurroundings);
lockSuite({ describe, test, harness });
engineSuite({ describe, test, harness });
