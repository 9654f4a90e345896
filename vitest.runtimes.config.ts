import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** The packed package on every runtime, with real servers: `npm run test:runtimes`. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: ['test/runtimes/*.runtimes.ts'],
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 900_000,
  },
});
