import { describe, test } from 'vitest';
import { conformance } from '../../src/testing/index.ts';
import { virtualSurroundings } from './virtual-surroundings.ts';
import { WiredMemoryHarness } from './wired-memory-harness.ts';

// Every answer is a promise, and time is still exact.
conformance({ describe, test, harness: new WiredMemoryHarness(virtualSurroundings(), 0) });
