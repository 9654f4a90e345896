import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { root } from './repository-copy.mjs';

/**
 * One file of tests, or those cases of it whose names contain `case`.
 *
 * @typedef {object} Check
 * @property {string} file
 * @property {string | undefined} [case]
 */

/**
 * @typedef {object} RanCase
 * @property {string} name with the names of the groups around it, as vitest's `-t` sees it
 * @property {string} title
 * @property {boolean} hasFailed
 * @property {number} ms
 */

/**
 * @typedef {object} Run
 * @property {boolean} isGreen
 * @property {boolean} isTooLong whether the time limit ended it
 * @property {number} ms
 * @property {readonly RanCase[]} cases those that ran
 */

const VITEST = join(root, 'node_modules/vitest/vitest.mjs');

/**
 * Runs a check in a copy of the repository, up to its first failure.
 *
 * @param {string} copy
 * @param {Check} check
 * @param {number} limitMs
 * @returns {Promise<Run>}
 */
export async function runCheck(copy, check, limitMs) {
  const report = join(copy, 'report.json');
  fs.rmSync(report, { force: true });
  const args = [VITEST, 'run', check.file, '--reporter', 'json', '--outputFile', report, '--bail', '1'];
  if (check.case !== undefined)
    args.push('-t', check.case.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const start = performance.now();
  const { code, isTooLong } = await runUntil(limitMs, copy, args);
  const cases = ranCases(report);
  return { isGreen: code === 0 && cases.length > 0, isTooLong, ms: performance.now() - start, cases };
}

/**
 * The workers of vitest do not end with it while they compute, so its whole process group is killed. Servers are in other groups,
 * and their wardens stop them when the worker is gone.
 *
 * @param {number} limitMs
 * @param {string} cwd
 * @param {readonly string[]} args
 */
async function runUntil(limitMs, cwd, args) {
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore', detached: true });
  let isTooLong = false;
  const killGroup = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-Number(child.pid), 'SIGKILL');
  };
  const timer = setTimeout(() => {
    isTooLong = true;
    killGroup();
  }, limitMs);
  process.once('exit', killGroup);
  const [code] = await once(child, 'exit');
  process.off('exit', killGroup);
  clearTimeout(timer);
  return { code, isTooLong };
}

/**
 * A run that was killed leaves no report.
 *
 * @param {string} report
 * @returns {readonly RanCase[]}
 */
function ranCases(report) {
  if (!fs.existsSync(report)) return [];
  /** @type {{ testResults: { assertionResults: { fullName: string; title: string; status: string; duration?: number }[] }[] }} */
  const { testResults } = JSON.parse(fs.readFileSync(report, 'utf8'));
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ fullName, title, status, duration = 0 }) => ({
      name: fullName,
      title,
      hasFailed: status === 'failed',
      ms: duration,
    }));
}

/**
 * The first case that failed. There is none where hooks or handlers failed, or where the first failure ended cases side by side.
 *
 * @param {Run} run
 */
export function failedCase({ cases }) {
  return cases.find(({ hasFailed }) => hasFailed);
}
