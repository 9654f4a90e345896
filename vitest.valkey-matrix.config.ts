import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Where `npm run test:valkey-matrix` unpacks Valkey. */
const unpacked = fileURLToPath(new URL('.build/valkey/root/usr/', import.meta.url));
const named = process.env['HOLDFAST_VALKEY_SERVER'];

/** The suites over Valkey in the place of Redis: with iovalkey on every kind of server, with the other clients on one. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: ['test/matrix/valkey-*.matrix.ts', 'test/engines/redis/check-up.test.ts'],
    env: {
      HOLDFAST_REDIS_SERVER: named ?? `${unpacked}bin/valkey-server`,
      // What this machine lacks of the libraries of the unpacked one.
      ...(named === undefined && { LD_LIBRARY_PATH: `${unpacked}lib/x86_64-linux-gnu` }),
    },
    maxWorkers: 1,
  },
});
