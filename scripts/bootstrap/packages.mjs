import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from './fingerprint.mjs';
import { root, run, say } from './run.mjs';

export function installPackages() {
  install('.', 'installing development dependencies (once, about 20 s)');
}

/** The libraries that the benchmarks compare with; only a benchmark needs them. */
export function installComparedLibraries() {
  install('bench', 'installing the libraries to compare with (once)');
  const self = join(root, 'bench/node_modules/holdfast');
  // As a dependency `file:..` would copy our own dependency list into the lock file of bench/.
  if (!fs.existsSync(self)) fs.symlinkSync('../..', self, 'junction');
}

/** The ORMs that the locks are tried with; only their tests need them. */
export function installOrms() {
  install('examples/orms', 'installing the ORMs (once, 370 MB)');
}

/** VitePress; only the site needs it. */
export function installSite() {
  install('site', 'installing what makes the site (once, about 30 s)');
}

/**
 * @param {string} folder
 * @param {string} notice
 */
function install(folder, notice) {
  const output = join(folder, 'node_modules');
  const inputs = [join(folder, 'package-lock.json')];
  makeOnce({ stamp: join(output, '.holdfast-lock-hash'), output, inputs }, () => {
    say(`${notice} …`);
    npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  });
}

/**
 * @param {string[]} args
 * @param {string} folder
 */
function npm(args, folder) {
  const self = process.env['npm_execpath'];
  if (self?.endsWith('.js')) run(process.execPath, [self, ...args], folder);
  else run('npm', args, folder, process.platform === 'win32');
}
