import type { SuiteAPI, TestAPI } from 'vitest';
import { memory } from '../../../src/engines/memory/index.ts';
import type { Runner } from '../../../src/testing/index.ts';
import { sideBySide } from '../redis/side-by-side.ts';

/** A few cases at a time: each opens many connections, and every one of them costs a database a process or a thread. */
export function gently(describe: SuiteAPI, runner: TestAPI): Runner {
  const few = memory().semaphore('cases', { permits: 6 });
  const { describe: group, test } = sideBySide(describe, runner);
  return {
    describe: group,
    test: Object.assign((title: string, body: () => Promise<void>) => test(title, () => few.run(body)), {
      skip: (title: string, body: () => Promise<void>) => test.skip(title, body),
    }),
  };
}
