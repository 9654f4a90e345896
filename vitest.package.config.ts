import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** The packed package in projects of users. Most of the time is installing. */
export default defineConfig({
  test: {
    include: ['test/package/*.package.ts'],
    fileParallelism: false,
    testTimeout: 900_000,
    hookTimeout: 900_000,
    reporters: usual.test!.reporters!,
  },
});
