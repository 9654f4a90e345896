import { conformance, lockSuite } from 'holdfast/testing';
import { describe, test } from 'vitest';
import { MapHarness, realTime } from '../../examples/map-engine/map-harness.ts';
import { virtualSurroundings } from '../engines/virtual-surroundings.ts';

// Every suite, on a virtual clock: nothing takes time but sleeping.
conformance({ describe, test, harness: new MapHarness(virtualSurroundings()) });

// The lock once more in real time, where timers are late.
lockSuite({ describe, test, harness: new MapHarness(realTime) });
