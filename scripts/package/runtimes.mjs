import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { root, say } from '../bootstrap/run.mjs';

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} program its path
 * @property {readonly string[]} words what comes before the file that it runs
 */

const { platform, arch } = process;
const node = `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
const ofWindows = platform === 'win32' ? '.exe' : '';
/** @type {Readonly<Record<string, string>>} */
const bunNames = {
  'linux-x64': 'bun-linux-x64',
  'linux-arm64': 'bun-linux-aarch64',
  'darwin-x64': 'bun-darwin-x64',
  'darwin-arm64': 'bun-darwin-aarch64',
  'win32-x64': 'bun-windows-x64',
};
/** The package that holds nothing but the program of Bun for this machine, if there is one. */
export const bunPackage = bunNames[`${platform}-${arch}`];
const glibc = platform === 'linux' ? '-glibc' : '';

/**
 * Packages that hold nothing but a program: `node`, `bun` and `deno` themselves fetch theirs in an install script.
 * @type {Readonly<Record<string, { package: string, version: string, file: string, words?: readonly string[] }>>}
 */
const runtimes = {
  'node-20': { package: node, version: '20.19.6', file: `bin/node${ofWindows}` },
  'node-22': { package: node, version: '22.23.3', file: `bin/node${ofWindows}` },
  'node-24': { package: node, version: '24.21.0', file: `bin/node${ofWindows}` },
  'node-26': { package: node, version: '26.10.0', file: `bin/node${ofWindows}` },
  bun: { package: `@oven/${bunPackage}`, version: '1.4.4', file: `bin/bun${ofWindows}` },
  deno: {
    package: `@deno/${platform}-${arch}${glibc}`,
    version: '2.9.6',
    file: `deno${ofWindows}`,
    words: ['run', '--allow-all', '--node-modules-dir=manual', '--no-lock'],
  },
};

export const runtimeNames = Object.keys(runtimes);

/**
 * Installs a runtime below .build, unless it is there.
 * @param {string} name one of the names above
 * @returns {Runtime | undefined} undefined if it was not installed
 */
export function installRuntime(name) {
  const wanted = runtimes[name];
  if (wanted === undefined) throw new RangeError(`expected one of ${runtimeNames.join(', ')}`);
  const { version, file, words = [] } = wanted;
  const folder = join('.build/runtimes', `${name}-${version}`);
  const program = join(root, folder, 'node_modules', wanted.package, file);
  if (!fs.existsSync(program)) installPackage(folder, `${wanted.package}@${version}`, ['--ignore-scripts']);
  return fs.existsSync(program) ? { name, program, words } : undefined;
}

/**
 * Installs a package into a folder of its own. What is missing afterwards is reported by the caller.
 * @param {string} folder relative to the repository
 * @param {string} what
 * @param {readonly string[]} how
 */
export function installPackage(folder, what, how) {
  const prefix = join(root, folder);
  fs.mkdirSync(prefix, { recursive: true });
  fs.writeFileSync(join(prefix, 'package.json'), '{ "private": true }\n');
  say(`installing ${what} (once) …`);
  const quietly = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', ['install', ...quietly, ...how, what], {
    cwd: prefix,
    stdio: ['ignore', 2, 2],
    shell: platform === 'win32',
  });
}
