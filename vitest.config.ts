import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { ClosingLineReporter } from './scripts/closing-line-reporter.ts';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^holdfast$/, replacement: source('index.ts') },
      { find: /^holdfast\/engine$/, replacement: source('engine.ts') },
      { find: /^holdfast\/(testing|dashboard)$/, replacement: source('$1/index.ts') },
      {
        find: /^holdfast\/(opentelemetry|prometheus|express|fastify|nestjs)$/,
        replacement: source('integrations/$1/index.ts'),
      },
      {
        find: /^holdfast\/(memory|redis|sqlite|postgres|mysql|zookeeper|etcd)$/,
        replacement: source('engines/$1/index.ts'),
      },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    pool: 'forks',
    // Most of what they do is wait for servers and leases: to leave one core out would leave the others idle, too. With more
    // than one for each core a run is a quarter shorter, and now and then one starves that counts on its lease.
    maxWorkers: availableParallelism(),
    testTimeout: 10_000,
    // Of those cases of one file that run side by side because all they do is sleep.
    maxConcurrency: 60,
    // They start and stop servers: how long that may take says nothing about what is tested.
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    reporters: ['default', new ClosingLineReporter()],
  },
});
