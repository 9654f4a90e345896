import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Locks over ORMs, which are packages of their own and large. */
export default defineConfig({
  ...usual,
  test: { ...usual.test, include: ['test/orms/*.orms.ts'], testTimeout: 60_000, maxWorkers: 1 },
});
