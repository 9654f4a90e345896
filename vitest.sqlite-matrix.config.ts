import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Where `npm run test:sqlite-matrix` has put what nobody else needs. */
const installed = fileURLToPath(
  new URL('.build/sqlite-matrix/better-sqlite3/node_modules/', import.meta.url),
);

/** The suite over files with every package that opens them, and with the one in newer releases of Node. */
export default defineConfig({
  ...usual,
  resolve: {
    ...usual.resolve,
    alias: [
      ...(usual.resolve!.alias as { find: RegExp; replacement: string }[]),
      { find: /^better-sqlite3$/, replacement: `${installed}better-sqlite3/lib/index.js` },
    ],
  },
  test: {
    ...usual.test,
    include: ['test/matrix/sqlite-*.matrix.ts', 'test/faults/sqlite/*.test.ts'],
    maxWorkers: 1,
  },
});
