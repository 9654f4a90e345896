import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** The suites over database servers, with every client: they take long, and both cores. */
export default defineConfig({
  ...usual,
  test: { ...usual.test, include: ['test/matrix/sql-*.matrix.ts'], maxWorkers: 1 },
});
