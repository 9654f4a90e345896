import { runCheck } from './run-check.mjs';

/** No file of tests takes half as long on a machine with two cores and a load of 20. */
const LIMIT_MS = 600_000;

/** Runs each check once without a mutation. A check that is red anyway would notice every mutant, and a skipped one none. */
export class UnmutatedRuns {
  /** @type {Map<string, Promise<import('./run-check.mjs').Run>>} */
  #runs = new Map();

  /**
   * @param {string} copy without a mutation, and kept so by its worker until the answer is there
   * @param {import('./run-check.mjs').Check} check
   */
  async of(copy, check) {
    const key = JSON.stringify([check.file, check.case]);
    let run = this.#runs.get(key);
    if (run === undefined) {
      run = runCheck(copy, check, LIMIT_MS);
      this.#runs.set(key, run);
    }
    const { isGreen, ms, cases } = await run;
    if (isGreen) return { check, ms, cases };
    const failed = cases.filter(({ hasFailed }) => hasFailed).map(({ name }) => name);
    const reason =
      failed.length > 0 ? `fails: ${failed.join(', ')}` : 'runs no case, or fails outside of its cases';
    throw new Error(`without any mutation ${check.file} ${reason}`);
  }
}
