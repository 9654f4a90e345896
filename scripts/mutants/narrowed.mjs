import { failedCase } from './run-check.mjs';

/** A file whose cases take longer is worth a `case`. The start of vitest and of servers stays the same. */
const LONG_MS = 3000;

/**
 * The check that noticed, for the entry of a mutant in the table: the cheapest file, and where it is long its first case that failed.
 *
 * @param {import('./try-mutant.mjs').Noticing} noticing
 * @returns {{ tests: readonly string[]; case?: string | undefined }}
 */
export function narrowed({ check, run, cases }) {
  const tests = [check.file.replace(/\.test\.ts$/, '')];
  const takesMs = cases.reduce((sum, { ms }) => sum + ms, 0);
  const failed = failedCase(run);
  if (check.case !== undefined || takesMs < LONG_MS || failed === undefined)
    return { tests, case: check.case };
  const isAlone = cases.filter(({ name }) => name.includes(failed.title)).length === 1;
  return { tests, case: isAlone ? failed.title : failed.name };
}
