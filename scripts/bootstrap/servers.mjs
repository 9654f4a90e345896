import * as fs from 'node:fs';
import { join } from 'node:path';
import { installDebianPackages } from './debian.mjs';
import { isOnPath, say } from './run.mjs';

/**
 * @typedef {object} Server
 * @property {string} program what has to be there
 * @property {string} variable names another path of the program
 * @property {readonly [string, string]} packages Debian's, and Homebrew's
 * @property {() => string[]} folders where it may be besides PATH
 * @property {boolean} [extra] without it, its tests are left out wherever they run
 */

/**
 * The real servers, and other programs, that the tests start for themselves. A Redis server is also the Sentinel and the cluster node.
 * @type {readonly Server[]}
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
  // ZooKeeper is a jar. The package `zookeeper` would add a service, a user and a desktop's Java; the jar and a Java without
  // windows are all that the tests start.
  {
    program: 'java',
    variable: 'HOLDFAST_JAVA',
    packages: ['default-jre-headless', 'openjdk'],
    folders: () => [],
  },
  {
    program: 'zookeeper.jar',
    variable: 'HOLDFAST_ZOOKEEPER_JAR',
    packages: ['libzookeeper-java', 'zookeeper'],
    folders: () => ['/usr/share/java'],
  },
  { program: 'etcd', variable: 'HOLDFAST_ETCD', packages: ['etcd-server', 'etcd'], folders: () => [] },
  {
    program: 'etcdctl',
    variable: 'HOLDFAST_ETCDCTL',
    packages: ['etcd-client', 'etcd'],
    folders: () => [],
  },
  // Not servers, but real all the same: the browser that shows our page, and the shells that complete our command line.
  {
    program: 'chromium',
    variable: 'HOLDFAST_CHROMIUM',
    packages: ['chromium', 'chromium'],
    folders: () => [],
  },
  { program: 'zsh', variable: 'HOLDFAST_ZSH', packages: ['zsh', 'zsh'], folders: () => [], extra: true },
  { program: 'fish', variable: 'HOLDFAST_FISH', packages: ['fish', 'fish'], folders: () => [], extra: true },
];

export function installServers() {
  const missing = realServers.filter((server) => !isThere(server));
  const installable = missing.filter(({ variable }) => !process.env[variable]);
  installDebianPackages(installable.map(({ packages: [debian] }) => debian));
  for (const server of missing) if (!isThere(server)) reportMissing(server);
}

/** @param {Server} server */
function isThere({ program, variable, folders }) {
  const named = process.env[variable];
  if (named) return fs.existsSync(named);
  return isOnPath(program) || folders().some((folder) => fs.existsSync(join(folder, program)));
}

/** @param {Server} server */
function reportMissing({ program, variable, packages: [debian, brew], extra = false }) {
  const missing = `There is no ${program} here.`;
  const remedy = `Install it with \`apt-get install ${debian}\` or \`brew install ${brew}\`, or name one in ${variable}.`;
  // Elsewhere a missing server may cost its tests. A run that decides about a merge may not be green without them.
  if (process.env['CI'] && !extra) throw new Error(`${missing} ${remedy}`);
  say(`${missing} The tests that need one will be skipped. ${remedy}`);
}

/** Debian keeps each major version in a folder of its own, outside of PATH. */
function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  if (!fs.existsSync(versions)) return [];
  return fs.readdirSync(versions).map((version) => join(versions, version, 'bin'));
}
