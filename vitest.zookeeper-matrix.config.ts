import { defineConfig } from 'vitest/config';
import usual from './vitest.config.ts';

/** The tests of ZooKeeper against the version that test/fixtures/zookeeper/pom.xml names, in the place of Debian's. */
export default defineConfig({
  ...usual,
  test: {
    ...usual.test,
    include: [
      'test/matrix/zookeeper-*.matrix.ts',
      'test/engines/zookeeper/**/*.test.ts',
      'test/faults/zookeeper/**/*.test.ts',
      'test/cli/zookeeper.test.ts',
    ],
    env: { HOLDFAST_ZOOKEEPER: 'maven' },
    maxWorkers: 1,
  },
});
