import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Holdfast beside the real Java libraries. Their programs are built by `npm run test:interop` before. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    // In the place of the usual ones, and not beside them, as a merged configuration would have it.
    include: ['test/interop/**/*.interop.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxConcurrency: 24,
    // Each file has Java programs of its own, which need a core.
    maxWorkers: 1,
  },
});
