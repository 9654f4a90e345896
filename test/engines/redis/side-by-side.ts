import { beforeAll, type SuiteAPI, type TestAPI } from 'vitest';
import { memory } from '../../../src/engines/memory/index.ts';
import type { Runner } from '../../../src/testing/index.ts';

/** Cases that stop this process for a while, and whatever else runs in it. */
const ALONE = /stall/;

/** Many cases share two cores and wait for their turn, which counts: a case that hangs is found late, as a slow one. */
const LONGEST_MS = 300_000;

/**
 * Runs all cases of all suites at the same time: on a real clock nearly all they do is sleep, and each has a name of its
 * own. Leaves out those that stop the process, and the quorum, which needs servers that have been up for a while.
 *
 * What they do besides comes all at once: on a busy machine the first of many cases then wait for the connections of the
 * last, for longer than their leases. `most` says how many have begun and not ended.
 */
export function sideBySide(describe: SuiteAPI, runner: TestAPI, most = 100): Runner {
  const begun = memory().semaphore('cases', { permits: most });
  return {
    describe: (title, body) => {
      if (!title.includes('quorumLock')) describe.concurrent(title, body);
    },
    test: Object.assign(
      (title: string, body: () => Promise<void>) => {
        if (!ALONE.test(title)) runner.concurrent(title, () => begun.run(body), LONGEST_MS);
      },
      { skip: (title: string, body: () => Promise<void>) => runner.skip(title, body) },
    ),
  };
}

/** Runs a few at a time, once all is ready: cases that would be late if all began at once. */
export function fewAtATime(describe: SuiteAPI, runner: TestAPI, ready: () => Promise<void>): Runner {
  const few = memory().semaphore('cases', { permits: 4 });
  return {
    describe: (title, body) =>
      describe.concurrent(title, () => {
        beforeAll(ready, LONGEST_MS);
        body();
      }),
    test: Object.assign(
      (title: string, body: () => Promise<void>) => runner.concurrent(title, () => few.run(body), LONGEST_MS),
      { skip: (title: string, body: () => Promise<void>) => runner.skip(title, body) },
    ),
  };
}

/** Runs those that were left out, one after the other. */
export function oneByOne(runner: TestAPI): Runner {
  let suite = '';
  return {
    describe: (title, body) => {
      suite = title;
      body();
    },
    test: Object.assign(
      (title: string, body: () => Promise<void>) => {
        if (ALONE.test(title)) runner(`${suite} ${title}`, body, LONGEST_MS);
      },
      { skip: () => undefined },
    ),
  };
}
