import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Every client with every kind of server: what `npm test` covers in pairs. */
export default defineConfig({
  ...usual,
  // In the place of the usual ones, and not beside them, as a merged configuration would have it.
  test: { ...usual.test, include: ['test/matrix/redis-*.matrix.ts'] },
});
