// Takes one law after the other out of a copy of the sources and runs the tests that must notice:
// `npm run mutants [-- --law 13] [-- --in src/engines/redis] [-- --what 'part of the description']`. Not part of `npm test`: it
// runs suites some dozens of times.
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutants } from '../test/mutants/table.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const COPIED = [
  'src',
  'test',
  'scripts',
  'package.json',
  'vitest.config.ts',
  'tsconfig.base.json',
  'tsconfig.json',
];

/** How long the tests of one path may take. Whole files on real servers share a busy machine: 180 s for all paths together was too little. */
const LIMIT_MS = 300_000;

/** A copy of what the tests need, with the installed dependencies linked. */
function copyOfRepository() {
  const copy = fs.mkdtempSync(join(tmpdir(), 'holdfast-mutants-'));
  for (const path of COPIED) fs.cpSync(join(root, path), join(copy, path), { recursive: true });
  fs.symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  return copy;
}

/**
 * @param {string} copy
 * @param {readonly string[]} tests
 */
function passes(copy, tests) {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--bail', '1', '--reporter', 'dot', ...tests];
  const timeout = LIMIT_MS * tests.length;
  return spawnSync(process.execPath, args, { cwd: copy, stdio: 'ignore', timeout }).status === 0;
}

/**
 * Writes a file, and what is made of it: the engine takes its scripts from a module, and the model from their files.
 *
 * @param {string} copy
 * @param {string} path
 * @param {string} text
 */
function write(copy, path, text) {
  fs.writeFileSync(path, text);
  if (path.endsWith('.lua'))
    execFileSync(process.execPath, [join(copy, 'scripts/build-lua.mjs'), '--drifting']);
}

/**
 * Whether the tests noticed.
 *
 * @param {string} copy
 * @param {import('../test/mutants/table.mjs').Mutant} mutant
 */
function isNoticed(copy, mutant) {
  const path = join(copy, mutant.file);
  const source = fs.readFileSync(path, 'utf8');
  if (source.split(mutant.find).length !== 2) {
    throw new Error(`${mutant.file} has ${source.split(mutant.find).length - 1} times: ${mutant.find}`);
  }
  write(
    copy,
    path,
    source.replace(mutant.find, () => mutant.replace),
  );
  try {
    return !passes(copy, mutant.tests);
  } finally {
    write(copy, path, source);
  }
}

const { values } = parseArgs({
  options: {
    law: { type: 'string' },
    in: { type: 'string', default: '' },
    what: { type: 'string', default: '' },
  },
});
const chosen = mutants.filter(
  ({ law, file, what }) =>
    (values.law === undefined || law === values.law) &&
    file.startsWith(values.in) &&
    what.includes(values.what),
);
const copy = copyOfRepository();
let survived = 0;
try {
  // A test that is red anyway notices everything.
  const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
  if (!passes(copy, tests)) throw new Error(`without any mutation these must be green: ${tests.join(', ')}`);
  for (const mutant of chosen) {
    const noticed = isNoticed(copy, mutant);
    if (!noticed) survived += 1;
    console.log(
      `${noticed ? 'noticed ' : 'SURVIVED'}  law ${mutant.law}: ${mutant.what} (${mutant.tests.join(', ')})`,
    );
  }
} finally {
  fs.rmSync(copy, { recursive: true, force: true });
}
console.log(`${chosen.length - survived} noticed, ${survived} survived`);
process.exitCode = survived > 0 ? 1 : 0;
