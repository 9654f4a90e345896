// Takes one law after the other out of a copy of the sources and runs the tests that must notice. Not part of `npm test`: it
// starts vitest some hundreds of times.
//
//   npm run mutants -- --law 13 --in src/engines/redis --what 'part of the description'   only these
//   npm run mutants -- --only-failed   what no run has seen noticed since: the survivors, and the rest of a run that was broken off
//   npm run mutants -- --from 120      from this number of the table on
//   npm run mutants -- --jobs 4        how many at a time; one for each core otherwise
//   npm run mutants -- --narrow        prints the cheapest test that notices each, for the table
import { mutants } from '../test/mutants/table.mjs';
import { narrowed } from './mutants/narrowed.mjs';
import { readOptions } from './mutants/options.mjs';
import { recordNoticed, wasNoticed } from './mutants/noticed-record.mjs';
import { copyRepository } from './mutants/repository-copy.mjs';
import { tryMutant } from './mutants/try-mutant.mjs';
import { UnmutatedRuns } from './mutants/unmutated-runs.mjs';

// An interrupted run goes through the handlers of 'exit', which end its tests and remove its copies.
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => process.exit(1));

const options = readOptions();
const unmutated = new UnmutatedRuns();
const chosen = mutants
  .map((mutant, index) => ({ mutant, number: index + 1 }))
  .filter(
    ({ mutant, number }) =>
      (options.law === undefined || mutant.law === options.law) &&
      mutant.file.startsWith(options.in) &&
      mutant.what.includes(options.what) &&
      number >= options.from &&
      !(options.onlyFailed && wasNoticed(mutant)),
  );
for (const { mutant } of chosen) recordNoticed(mutant, false);

/** @type {Record<'noticed' | 'SURVIVED' | 'ERROR', string[]>} */
const lines = { noticed: [], SURVIVED: [], ERROR: [] };
const start = performance.now();
const queue = chosen.values();
await Promise.all(Array.from({ length: Math.min(options.jobs, chosen.length) }, work));
for (const line of [...lines.SURVIVED, ...lines.ERROR]) console.log(line);
console.log(
  `${lines.noticed.length} noticed, ${lines.SURVIVED.length} survived, ${lines.ERROR.length} without an answer, ` +
    `in ${((performance.now() - start) / 60_000).toFixed(1)} minutes`,
);
process.exitCode = lines.noticed.length === chosen.length ? 0 : 1;

/** Takes mutants out of the queue of all workers until it is empty. Each worker has a copy of its own. */
async function work() {
  const copy = copyRepository();
  for (const { mutant, number } of queue) {
    const began = performance.now();
    const verdict = await tryMutant(copy, mutant, unmutated).catch(asError);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const line = `${String(number).padStart(4)}  ${verdict.is.padEnd(8)}  ${seconds.padStart(6)} s  law ${mutant.law}: ${mutant.what} (${verdict.by})`;
    lines[verdict.is].push(line);
    console.log(line);
    recordNoticed(mutant, verdict.is === 'noticed');
    if (options.narrow && verdict.noticing !== undefined)
      console.log(JSON.stringify({ law: mutant.law, what: mutant.what, ...narrowed(verdict.noticing) }));
  }
}

/**
 * Another mutant may well get its answer.
 *
 * @param {unknown} error
 * @returns {import('./mutants/try-mutant.mjs').Verdict}
 */
function asError(error) {
  return { is: 'ERROR', by: error instanceof Error ? error.message : String(error) };
}
