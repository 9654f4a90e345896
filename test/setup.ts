import { expect, vi } from 'vitest';
import { systemClock } from '../src/core/time/clock.ts';

/**
 * These compute, live in virtual time or start programs: how long they take tells how busy the machine is, and the limit only
 * ends what hangs. Elsewhere the usual limit of ten seconds is part of the test: a waiter that missed its wake-up looks by
 * itself after about that time, and a longer limit would hide it.
 */
const ONLY_COMPUTE = /\/test\/(cli|core|examples|interleavings|kernels|model|repo|rules|sim|spi|types)\//;
if (ONLY_COMPUTE.test((expect.getState().testPath ?? '').replaceAll('\\', '/'))) {
  vi.setConfig({ testTimeout: 60_000 });
}

// An unhandled rejection fails a run by itself. A leak of listeners is only a warning to Node; thrown from here
// it becomes an uncaught exception, and fails the run too.
process.on('warning', (warning) => {
  if (warning.name === 'MaxListenersExceededWarning') throw warning;
});

/**
 * A test that drops a hold goes on as if it had it: `await lock.acquire()` makes the name taken for what follows. A client releases
 * what is collected, so such a test would fail whenever the machine collects early. Kept alive are only the holds that a client would
 * release, those that it has renewed; the tests of forgotten holds have a clock, or a process, of their own.
 */
const renewedHolds: object[] = [];
Object.assign(systemClock, { whenCollected: (hold: object) => void renewedHolds.push(hold) });
