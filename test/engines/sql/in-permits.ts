import type { SuiteAPI, TestAPI } from 'vitest';
import { memory } from '../../../src/engines/memory/index.ts';
import type { Runner } from '../../../src/testing/index.ts';
import { sideBySide } from '../redis/side-by-side.ts';

/** Locks that are composed of others: their cases open dozens of clients each, and a database has a process for every connection. */
const COMPOSED = /multiLock|quorumLock/;
/** The wait for a permit counts, too: on a busy machine it is the longest part. */
const LONGEST_MS = 300_000;

/** Runs cases side by side as long as there are permits for them, and leaves those of composed locks to their own runner. */
export function inPermits(
  describe: SuiteAPI,
  runner: TestAPI,
  permits: number,
): { readonly usual: Runner; readonly composed: Runner } {
  const all = memory().semaphore('permits', { permits });
  const { describe: group, test } = sideBySide(describe, runner);
  const usual: Runner = {
    describe: (title, body) => {
      if (!COMPOSED.test(title)) group(title, body);
    },
    test: Object.assign((title: string, body: () => Promise<void>) => test(title, () => all.run(body)), {
      skip: (title: string, body: () => Promise<void>) => test.skip(title, body),
    }),
  };
  const composed: Runner = {
    describe: (title, body) => describe.concurrent(title, body),
    test: Object.assign(
      (title: string, body: () => Promise<void>) =>
        runner.concurrent(title, () => all.run(body, { permits: permits / 4 }), LONGEST_MS),
      { skip: (title: string, body: () => Promise<void>) => runner.skip(title, body) },
    ),
  };
  return { usual, composed };
}
