import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** The tests of etcd against the version that scripts/bootstrap/go.mjs builds, in the place of Debian's. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [
      'test/matrix/etcd-*.matrix.ts',
      'test/engines/etcd/**/*.test.ts',
      'test/faults/etcd/**/*.test.ts',
      'test/interop/etcd/*.interop.ts',
      'test/cli/etcd.test.ts',
    ],
    env: {
      HOLDFAST_ETCD: process.env['HOLDFAST_ETCD'] ?? '.build/etcd/bin/etcd',
      HOLDFAST_ETCDCTL: process.env['HOLDFAST_ETCDCTL'] ?? '.build/etcd/bin/etcdctl',
    },
    maxWorkers: 1,
  },
});
