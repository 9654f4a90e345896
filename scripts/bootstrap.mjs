// Brings a fresh clone to the point where one command can run: `node scripts/bootstrap.mjs <command>`.
// Only Node's own modules, because this is what runs before anything is installed. Called from the scripts
// of package.json by `&&` and not as npm's pre-scripts: those are silently left out wherever
// `ignore-scripts` is set, and here it is.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** What each command needs, in this order. A new kind of preparation is a new step here. */
const commands = {
  test: [nodeVersion, dependencies, servers, library, programs],
  build: [nodeVersion, dependencies, library],
  start: [nodeVersion, dependencies, library, programs],
  sim: [nodeVersion, dependencies, library, programs],
  bench: [nodeVersion, dependencies, servers, library, peers, benchmarks],
  check: [nodeVersion, dependencies, peers],
  everything: [nodeVersion, dependencies, library, programs, peers, benchmarks],
};

function nodeVersion() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Holdfast needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
}

function dependencies() {
  install('.', 'installing development dependencies (once, about 20 s)');
}

/** The libraries that the benchmarks compare with; only a benchmark needs them. */
function peers() {
  install('bench', 'installing the libraries to compare with (once)');
  const self = join(root, 'bench/node_modules/holdfast');
  // As a dependency `file:..` would copy our own dependency list into the lock file of bench/.
  if (!fs.existsSync(self)) fs.symlinkSync('../..', self, 'junction');
}

/** The real servers that the tests start for themselves. A Redis server is also the Sentinel and the cluster node. */
function servers() {
  if (redisIsThere()) return;
  if (canInstallPackages()) installPackage('redis-server');
  if (redisIsThere()) return;
  const missing = 'There is no redis-server here.';
  const remedy =
    'Install it with `apt-get install redis-server` or `brew install redis`, or name one in HOLDFAST_REDIS_SERVER.';
  // Elsewhere a missing server may cost its tests. A run that decides about a merge may not be green without them.
  if (process.env['CI']) throw new Error(`${missing} ${remedy}`);
  say(`${missing} The tests that need one will be skipped. ${remedy}`);
}

function redisIsThere() {
  const named = process.env['HOLDFAST_REDIS_SERVER'];
  return named ? fs.existsSync(named) : onPath('redis-server');
}

function canInstallPackages() {
  if (process.env['HOLDFAST_REDIS_SERVER']) return false;
  return process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get');
}

/** @param {string} name */
function onPath(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) => fs.existsSync(join(folder, name)));
}

/**
 * Whoever runs the tests did not ask for a service on port 6379: it is kept from starting, now and with the machine.
 * @param {string} name
 */
function installPackage(name) {
  say(`installing the Debian package ${name} for the tests (once) …`);
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !fs.existsSync(policy);
  if (ours) fs.writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    // One list that cannot be had need not be the one with our package.
    apt(['update']);
    const installed = apt(['install', '--yes', '--no-install-recommends', name]);
    if (installed && onPath('systemctl')) succeeds('systemctl', ['--quiet', 'disable', name]);
  } finally {
    if (ours) fs.rmSync(policy, { force: true });
  }
}

/** @param {string[]} args */
function apt(args) {
  // Another run may be at it: then we wait for its lock and find the package there.
  const quietly = ['-qq', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=120'];
  return succeeds('env', ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', ...quietly, ...args]);
}

/**
 * A failure is told by the command itself, and by what is missing afterwards.
 * @param {string} command
 * @param {string[]} args
 */
function succeeds(command, args) {
  try {
    run(command, args, '.');
    return true;
  } catch {
    return false;
  }
}

function library() {
  const inputs = ['src', 'tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json'];
  build({ name: 'library', project: 'tsconfig.build.json', inputs, output: 'dist' });
}

function programs() {
  const sources = ['src', 'examples', 'test/sim', 'test/faults', 'test/fixtures'];
  const inputs = [...sources, 'tsconfig.base.json', 'tsconfig.tools.json', 'package.json'];
  build({ name: 'programs', project: 'tsconfig.tools.json', inputs, output: '.build/programs' });
}

function benchmarks() {
  const inputs = ['src', 'bench', 'tsconfig.base.json', 'package.json'];
  build({ name: 'benchmarks', project: 'bench/tsconfig.json', inputs, output: 'bench/.build' });
}

/**
 * @param {string} folder
 * @param {string} notice
 */
function install(folder, notice) {
  const stamp = join(root, folder, 'node_modules/.holdfast-lock-hash');
  const wanted = fingerprint([join(folder, 'package-lock.json')]);
  if (stampOf(stamp) === wanted) return;
  say(`${notice} …`);
  npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
  fs.mkdirSync(dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, wanted);
}

/**
 * Compiles from nothing whenever an input changed: a left-over file of a deleted source would be published.
 * @param {{ name: string, project: string, inputs: string[], output: string }} plan
 */
function build({ name, project, inputs, output }) {
  const stamp = join(root, '.build', `${name}.stamp`);
  const wanted = fingerprint(inputs);
  if (stampOf(stamp) === wanted && fs.existsSync(join(root, output))) return;
  say(`building the ${name} …`);
  fs.rmSync(stamp, { force: true });
  fs.rmSync(join(root, output), { recursive: true, force: true });
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], '.');
  fs.mkdirSync(dirname(stamp), { recursive: true });
  fs.writeFileSync(stamp, wanted);
}

/** @param {string} path */
function stampOf(path) {
  return fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined;
}

/**
 * Contents and not times: a checkout touches every file and changes none.
 * @param {string[]} inputs
 */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap(filesUnder)) {
    hash
      .update(path)
      .update('\0')
      .update(fs.readFileSync(join(root, path)))
      .update('\0');
  }
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesUnder(path) {
  if (!fs.existsSync(join(root, path))) return [];
  if (fs.statSync(join(root, path)).isFile()) return [path];
  return fs
    .readdirSync(join(root, path))
    .filter((name) => name !== 'node_modules' && name !== '.build')
    .toSorted()
    .flatMap((name) => filesUnder(join(path, name)));
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

/**
 * Output goes to stderr, so that a program's own stdout stays clean behind us.
 * @param {string} command
 * @param {string[]} args
 * @param {string} folder
 */
function run(command, args, folder, shell = false) {
  const done = spawnSync(command, args, { cwd: join(root, folder), stdio: ['ignore', 2, 2], shell });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(`${describe(command, args)} failed, see above.`);
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function describe(command, args) {
  const words = command === process.execPath ? args : [command, ...args];
  return words.map((word) => word.replace(/^.*[\\/]/, '')).join(' ');
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`holdfast: ${text}\n`);
}

const steps = Object.entries(commands).find(([name]) => name === process.argv[2])?.[1];
try {
  if (!steps) throw new Error(`expected one of ${Object.keys(commands).join(', ')}`);
  for (const step of steps) step();
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
