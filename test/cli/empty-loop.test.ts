import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

/** Ten milliseconds go by between one look at the clock and the next, as for a process that others keep from its processor. */
const SLOW =
  'const now = performance.now.bind(performance); let late = 0; performance.now = () => now() + (late += 10);';

/** Nothing that waits for a time keeps it from ending. */
const FORGETFUL =
  'const set = setTimeout; globalThis.setTimeout = (...all) => { const one = set(...all).unref(); one.ref = () => one; return one; };';

function startingWith(...programs: readonly string[]): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(programs.join('\n'))}` };
}

// Node ends a program for which nothing is under way, with 0, whatever it has promised. What is asked of a file is answered at
// once, so nothing is under way there unless the program sees to it.
test('kept from its processor, the first on a new file does not end before its command was run', async () => {
  await using place = new Workplace();
  const { code, stdout } = await place.run(['run', 'slow', '--', 'echo', 'was run'], {
    env: startingWith(SLOW),
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'was run\n' });
});

test('one that ends before it is done does not end as if it were', async () => {
  await using place = new Workplace();
  const { code, stdout, stderr } = await place.run(['run', 'slow', '--', 'echo', 'was run'], {
    env: startingWith(SLOW, FORGETFUL),
  });
  expect({ code, stdout }).toEqual({ code: 70, stdout: '' });
  expect(stderr).toMatch(/^holdfast: .* before its work was done/u);
});
