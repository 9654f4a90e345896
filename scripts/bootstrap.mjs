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
  'bench-page': [nodeVersion, dependencies, library, peers, benchmarks],
  interop: [nodeVersion, dependencies, servers, library, programs, java, javaPrograms],
  'bench-redisson': [nodeVersion, dependencies, servers, library, peers, benchmarks, java, javaPrograms],
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

/**
 * @typedef {object} Server
 * @property {string} program what has to be there
 * @property {string} variable names another place of the program
 * @property {string[]} packages Debian's, and Homebrew's
 * @property {() => string[]} folders where it may be besides PATH
 * @property {boolean} [extra] without it, its tests are left out wherever they run
 */

/**
 * The real servers, and other programs, that the tests start for themselves. A Redis server is also the Sentinel and the cluster node.
 * @type {Server[]}
 */
const realServers = [
  {
    program: 'redis-server',
    variable: 'HOLDFAST_REDIS_SERVER',
    packages: ['redis-server', 'redis'],
    folders: () => [],
  },
  {
    program: 'postgres',
    variable: 'HOLDFAST_POSTGRES_SERVER',
    packages: ['postgresql', 'postgresql'],
    folders: postgresFolders,
  },
  {
    program: 'mariadbd',
    variable: 'HOLDFAST_MARIADB_SERVER',
    packages: ['mariadb-server', 'mariadb'],
    folders: () => ['/usr/sbin'],
  },
  {
    program: 'pgbouncer',
    variable: 'HOLDFAST_PGBOUNCER',
    packages: ['pgbouncer', 'pgbouncer'],
    folders: () => ['/usr/sbin'],
    extra: true,
  },
  // Not servers, but real all the same: the shells that complete our command line.
  { program: 'zsh', variable: 'HOLDFAST_ZSH', packages: ['zsh', 'zsh'], folders: () => [], extra: true },
  { program: 'fish', variable: 'HOLDFAST_FISH', packages: ['fish', 'fish'], folders: () => [], extra: true },
];

/** Debian keeps each major version in a folder of its own, outside of PATH. */
function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  if (!fs.existsSync(versions)) return [];
  return fs.readdirSync(versions).map((version) => join(versions, version, 'bin'));
}

function servers() {
  const wanted = realServers.filter((server) => !isThere(server));
  if (wanted.length === 0) return;
  const installable = wanted.filter(({ variable }) => !process.env[variable]);
  if (installable.length > 0 && canInstallPackages()) installPackages(installable.map(debianPackage));
  for (const server of wanted) if (!isThere(server)) tellMissing(server);
}

/** @param {Server} server */
function isThere({ program, variable, folders }) {
  const named = process.env[variable];
  if (named) return fs.existsSync(named);
  return onPath(program) || folders().some(has(program));
}

/** @param {string} program */
function has(program) {
  return (/** @type {string} */ folder) => fs.existsSync(join(folder, program));
}

/** @param {Server} server */
function debianPackage({ packages: [name = ''] }) {
  return name;
}

/** @param {Server} server */
function tellMissing({ program, variable, packages: [debian, brew], extra = false }) {
  const missing = `There is no ${program} here.`;
  const remedy = `Install it with \`apt-get install ${debian}\` or \`brew install ${brew}\`, or name one in ${variable}.`;
  // Elsewhere a missing server may cost its tests. A run that decides about a merge may not be green without them.
  if (process.env['CI'] && !extra) throw new Error(`${missing} ${remedy}`);
  say(`${missing} The tests that need one will be skipped. ${remedy}`);
}

function canInstallPackages() {
  return process.platform === 'linux' && process.getuid?.() === 0 && onPath('apt-get');
}

/** @param {string} name */
function onPath(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) => fs.existsSync(join(folder, name)));
}

/**
 * Whoever runs the tests did not ask for services on usual ports: they are kept from starting, now and with the machine.
 * @param {string[]} names
 */
function installPackages(names) {
  say(`installing the Debian packages ${names.join(', ')} for the tests (once) …`);
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !fs.existsSync(policy);
  if (ours) fs.writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    // One list that cannot be had need not be the one with our package.
    apt(['update']);
    // One by one: a package that cannot be had must not cost the others.
    for (const name of names) {
      const installed = apt(['install', '--yes', '--no-install-recommends', name]);
      const service = name.replace(/^mariadb-server$/, 'mariadb');
      if (installed && onPath('systemctl')) succeeds('systemctl', ['--quiet', 'disable', service]);
    }
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
function succeeds(command, args, folder = '.') {
  try {
    run(command, args, folder);
    return true;
  } catch {
    return false;
  }
}

/** What the real Java libraries are built and run with. */
function java() {
  if (javaIsThere()) return;
  if (canInstallPackages()) installPackages(['openjdk-17-jdk-headless', 'maven']);
  if (!javaIsThere()) goWithoutJava('There is no JDK with Maven here: `javac`, `java` and `mvn` are needed.');
}

function javaIsThere() {
  return ['java', 'javac', 'mvn'].every(onPath);
}

/**
 * The programs that the tests beside real Java libraries start, see test/interop/java. Built from a copy: Maven writes
 * beside its sources.
 */
function javaPrograms() {
  if (!javaIsThere()) return;
  const sources = 'test/interop/java';
  const copy = join(root, '.build/interop');
  const stamp = join(root, '.build/interop.stamp');
  const wanted = fingerprint([sources]);
  if (stampOf(stamp) === wanted && fs.existsSync(copy)) return;
  say('building the Java programs (once; the first time a minute, for what they depend on) …');
  fs.rmSync(stamp, { force: true });
  fs.rmSync(copy, { recursive: true, force: true });
  fs.cpSync(join(root, sources), copy, { recursive: true });
  const quietly = ['--batch-mode', '--quiet', '--no-transfer-progress', '-Dmaven.test.skip=true'];
  if (!succeeds('mvn', [...quietly, 'package'], '.build/interop')) {
    fs.rmSync(copy, { recursive: true, force: true });
    goWithoutJava('The Java programs could not be built, see above.');
    return;
  }
  fs.writeFileSync(stamp, wanted);
}

/**
 * As with a missing server: it may cost its tests, but not where the run decides about a merge.
 * @param {string} why
 */
function goWithoutJava(why) {
  if (process.env['CI']) throw new Error(why);
  say(`${why} The tests beside real Java libraries will be skipped.`);
}

/** With the command line, which is bundled: many small files cost more to load than to run. */
function library() {
  const bundler = 'scripts/bundle-cli.mjs';
  const inputs = ['src', bundler, 'tsconfig.base.json', 'tsconfig.build.json', 'package-lock.json'];
  build({ name: 'library', project: 'tsconfig.build.json', inputs, output: 'dist', bundler });
}

function programs() {
  const tests = ['test/sim', 'test/faults', 'test/fixtures', 'test/interop/programs'];
  const sources = ['src', 'examples', ...tests, 'test/engines/sql-clients', 'test/engines/sql-native'];
  const inputs = [...sources, 'tsconfig.base.json', 'tsconfig.tools.json', 'package.json'];
  build({ name: 'programs', project: 'tsconfig.tools.json', inputs, output: '.build/programs' });
}

function benchmarks() {
  const inputs = ['src', 'bench', 'test/fixtures', 'tsconfig.base.json', 'package.json'];
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
 * @param {{ name: string, project: string, inputs: string[], output: string, bundler?: string }} plan
 */
function build({ name, project, inputs, output, bundler }) {
  const stamp = join(root, '.build', `${name}.stamp`);
  const wanted = fingerprint(inputs);
  if (stampOf(stamp) === wanted && fs.existsSync(join(root, output))) return;
  say(`building the ${name} …`);
  fs.rmSync(stamp, { force: true });
  fs.rmSync(join(root, output), { recursive: true, force: true });
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', project], '.');
  if (bundler !== undefined) run(process.execPath, [join(root, bundler)], '.');
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
