import { expect, vi } from 'vitest';

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
