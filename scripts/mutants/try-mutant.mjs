import { testFilesOf } from '../test-files.mjs';
import { mutate } from './mutate.mjs';
import { failedCase, runCheck } from './run-check.mjs';

/**
 * @typedef {object} Verdict
 * @property {'noticed' | 'SURVIVED' | 'ERROR'} is
 * @property {string} by which test, or why there is no answer
 * @property {Noticing} [noticing]
 */

/**
 * @typedef {object} Noticing
 * @property {import('./run-check.mjs').Check} check
 * @property {import('./run-check.mjs').Run} run
 * @property {readonly import('./run-check.mjs').RanCase[]} cases those of the unmutated run
 */

/**
 * Runs the tests of a mutant, cheapest first, until one fails. A mutant that hangs is noticed: it gets four times as long as the
 * code without it, and half a minute for a machine that is busy.
 *
 * @param {string} copy
 * @param {import('../../test/mutants/table.mjs').Mutant} mutant
 * @param {import('./unmutated-runs.mjs').UnmutatedRuns} unmutated
 * @returns {Promise<Verdict>}
 */
export async function tryMutant(copy, mutant, unmutated) {
  const files = [...new Set(mutant.tests.flatMap((filter) => testFilesOf(filter)))];
  const checks = [];
  for (const file of files) checks.push(await unmutated.of(copy, { file, case: mutant.case }));
  const restore = mutate(copy, mutant);
  try {
    for (const { check, ms, cases } of checks.toSorted((a, b) => a.ms - b.ms)) {
      const limitMs = 4 * ms + 30_000;
      let run = await runCheck(copy, check, limitMs);
      // It may have been a server that did not start.
      if (!run.isGreen && !run.isTooLong && failedCase(run) === undefined)
        run = await runCheck(copy, check, limitMs);
      if (!run.isGreen) return { is: 'noticed', by: noticedBy(check, run), noticing: { check, run, cases } };
    }
    return { is: 'SURVIVED', by: mutant.tests.join(', ') };
  } finally {
    restore();
  }
}

/**
 * @param {import('./run-check.mjs').Check} check
 * @param {import('./run-check.mjs').Run} run
 */
function noticedBy({ file }, run) {
  if (run.isTooLong) return `${file}: does not end`;
  return `${file}: ${failedCase(run)?.name ?? 'fails, and names no case'}`;
}
