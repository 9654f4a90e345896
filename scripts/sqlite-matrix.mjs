// `npm run test:sqlite-matrix -- [node-22] [node-24] [better-sqlite3] [libsql]`: the whole conformance suite over files,
// with every package that opens them. What is needed for that and for nothing else is installed below .build: newer
// releases of Node, from the registry, as packages that hold nothing but the program; and better-sqlite3, which compiles
// its SQLite where it finds no binary made for this Node.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackage, installRuntime } from './package/runtimes.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, '.build/sqlite-matrix');

/**
 * @typedef {object} Entry
 * @property {() => string | undefined} prepare which Node runs the tests, or undefined if it cannot be had
 * @property {string[]} files what of the tests
 */

/**
 * Beside the suite also the tests of whole processes and broken files: there the driver that an engine finds by itself is
 * the one of the runtime.
 */
const ofRuntime = ['test/matrix/sqlite-node.matrix.ts', 'test/faults/sqlite'];

/** @type {Record<string, Entry>} */
const entries = {
  'node-22': { prepare: () => installRuntime('node-22')?.program, files: ofRuntime },
  'node-24': { prepare: () => installRuntime('node-24')?.program, files: ofRuntime },
  'better-sqlite3': { prepare: betterSqlite3, files: ['test/matrix/sqlite-better-sqlite3.matrix.ts'] },
  libsql: { prepare: () => process.execPath, files: ['test/matrix/sqlite-libsql.matrix.ts'] },
};

/** For the Node that runs this: a binary made for another one cannot be loaded. */
function betterSqlite3() {
  const name = 'better-sqlite3';
  const binary = join(folder, name, 'node_modules', name, 'build/Release/better_sqlite3.node');
  // The registry of packages has no binaries of it, so its own script fetches one or compiles.
  if (!fs.existsSync(binary))
    installPackage(`.build/sqlite-matrix/${name}`, `${name}@12.11.1`, [
      '--ignore-scripts=false',
      '--foreground-scripts',
    ]);
  return fs.existsSync(binary) ? process.execPath : undefined;
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  return status === 0;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`holdfast: ${text}\n`);
}

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in entries));
if (unknown.length > 0) throw new RangeError(`expected some of ${Object.keys(entries).join(', ')}`);
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
for (const [name, { prepare, files }] of Object.entries(entries)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const node = prepare();
  if (node === undefined) {
    say(`${name} was not installed, see above: its tests are left out.`);
    // A run that decides about a merge may not be green without them.
    if (process.env['CI']) process.exitCode = 1;
    continue;
  }
  say(`the suite with ${name}`);
  if (!run(node, [vitest, 'run', '--config', 'vitest.sqlite-matrix.config.ts', ...files], root))
    process.exitCode = 1;
}
