import type { SuiteAPI, TestAPI } from 'vitest';
import { memory } from '../../../src/engines/memory/index.ts';
import type { Runner } from '../../../src/testing/index.ts';
import { sideBySide } from '../redis/side-by-side.ts';

/**
 * Runs cases side by side, but never more than so many: here the database is in this very process, and what all of them
 * do at the same moment none of them can do in time.
 */
export function inShifts(describe: SuiteAPI, runner: TestAPI, most = 8): Runner {
  const shift = memory().semaphore('shift', { permits: most });
  const all = sideBySide(describe, runner);
  return {
    describe: all.describe,
    test: Object.assign(
      (title: string, body: () => Promise<void>) => all.test(title, () => shift.run(body)),
      {
        skip: (title: string, body: () => Promise<void>) => all.test.skip(title, body),
      },
    ),
  };
}
