/** A file whose cases take longer is worth a `case`. The start of vitest and of servers stays the same. */
const LONG_MS = 3000;

/**
 * The cheapest check that notices, for the entry of a mutant in the table.
 *
 * @param {import('./try-mutant.mjs').Noticing} noticing
 * @returns {{ tests: readonly string[]; case?: string | undefined }}
 */
export function narrowed({ check, run, cases }) {
  const tests = [check.file.replace(/\.test\.ts$/, '')];
  const cheapest = run.cases.filter(({ hasFailed }) => hasFailed).toSorted(byCost(cases))[0];
  const takesMs = cases.reduce((sum, { ms }) => sum + ms, 0);
  if (check.case !== undefined || takesMs < LONG_MS || cheapest === undefined)
    return { tests, case: check.case };
  const isAlone = cases.filter(({ name }) => name.includes(cheapest.title)).length === 1;
  return { tests, case: isAlone ? cheapest.title : cheapest.name };
}

/**
 * By what a case costs without the mutation: until it fails, many take their whole time limit.
 *
 * @param {readonly import('./run-check.mjs').RanCase[]} cases
 */
function byCost(cases) {
  const costs = new Map(cases.map(({ name, ms }) => [name, ms]));
  /** @type {(a: import('./run-check.mjs').RanCase, b: import('./run-check.mjs').RanCase) => number} */
  return (a, b) => (costs.get(a.name) ?? 0) - (costs.get(b.name) ?? 0);
}
