import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** Where `npm run test:mysql-matrix` unpacks MySQL. */
const unpacked = fileURLToPath(new URL('.build/mysql/root', import.meta.url));

/** The suites, and the locks of a database itself, over MySQL in the place of MariaDB, whose name the tests keep. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [
      'test/matrix/mysql-*.matrix.ts',
      'test/matrix/sql-native-locks.matrix.ts',
      'test/engines/sql-native/{connection-locks,in-engines,processes,rival-row,silent-commit,table-locks,transaction-locks}.test.ts',
      // Not mysql-clients.test.ts: it raises errors by compound statements that MariaDB has and MySQL does not.
      'test/engines/sql-clients/own-pools.test.ts',
    ],
    env: { HOLDFAST_MYSQL_ROOT: process.env['HOLDFAST_MYSQL_ROOT'] ?? unpacked },
    // Those of PostgreSQL in the same files ran in `npm test`.
    testNamePattern: /^(?!.*(PostgreSQL|postgres|advisory))/i,
    maxWorkers: 1,
  },
});
