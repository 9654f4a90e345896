// Installs Debian packages for the tests: `node scripts/install-debian-packages.mjs [--dry-run] PACKAGE…`, as root. First
// says every command; --dry-run ends there. Leaves nothing on the machine but the packages: the tests start servers of
// their own, so no service of a new package is started, now or with the machine. A service that was there before stays as it is.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @typedef {{ command: readonly string[], why: string }} Step */

/** @type {Readonly<Record<string, string>>} Where the name of a service is not that of its package. */
const services = { 'mariadb-server': 'mariadb', 'etcd-server': 'etcd' };
/** Where units are, of packages and of those who run the machine. */
const UNITS = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'];
const withoutService = new Set([
  'chromium',
  'zsh',
  'fish',
  'openjdk-17-jdk-headless',
  'maven',
  'default-jre-headless',
  'libzookeeper-java',
  'etcd-client',
]);

/**
 * A file /usr/sbin/policy-rc.d would keep services from starting as well, and it would stay if this process were killed. A
 * runtime mask is in /run and ends with the machine. Without systemd, Debian starts only what belongs to the current runlevel,
 * and in runlevel 1 that is no server.
 *
 * Only of services that come with the packages. The tempting alternative disables all by name: a service that was there
 * before is in use, perhaps installed by hand, and would not come back when the machine is started again.
 * @param {readonly string[]} packages
 * @param {boolean} hasSystemd whether systemd runs this machine
 * @param {(service: string) => boolean} isThere whether the machine has this service already
 * @returns {{ before: readonly Step[], install: readonly Step[], after: readonly Step[] }}
 */
export function planOf(packages, hasSystemd, isThere) {
  const names = packages
    .filter((name) => !withoutService.has(name))
    .map((name) => `${services[name] ?? name}.service`)
    .filter((service) => !isThere(service));
  const masked = hasSystemd && names.length > 0;
  return {
    before: masked
      ? [
          {
            command: ['systemctl', 'mask', '--runtime', ...names],
            why: 'no service starts while it is installed',
          },
        ]
      : [],
    install: [
      { command: apt('update'), why: 'a list that is out of reach need not be the one with these packages' },
      // One by one: a package that is not available must not cost the others.
      ...packages.map((name) => ({
        command: apt('install', '--yes', '--no-install-recommends', name),
        why: 'in runlevel 1, so that no service starts',
      })),
    ],
    after: [
      ...(masked
        ? [{ command: ['systemctl', 'unmask', '--runtime', ...names], why: 'undoes the mask' }]
        : []),
      ...names.map((name) => ({
        command: ['systemctl', '--quiet', 'disable', name],
        why: 'it does not start with the machine',
      })),
    ],
  };
}

/**
 * @param {readonly string[]} args
 * @returns {readonly string[]}
 */
function apt(...args) {
  // Another run may be at it: then apt waits for its lock and finds the package there.
  const quietly = ['-qq', '-o', 'Dpkg::Use-Pty=0', '-o', 'DPkg::Lock::Timeout=120'];
  return ['env', 'DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', ...quietly, ...args];
}

/** @param {string} service */
function hasUnit(service) {
  return UNITS.some((folder) => existsSync(`${folder}/${service}`));
}

/** @param {Step} step */
function perform({ command: [program = '', ...args] }) {
  return spawnSync(program, args, { stdio: ['ignore', 2, 2] }).status === 0;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`holdfast: ${text}\n`);
}

function main() {
  const options = process.argv.slice(2);
  const packages = options.filter((option) => !option.startsWith('--'));
  const { before, install, after } = planOf(packages, existsSync('/run/systemd/system'), hasUnit);
  say(`installing the Debian packages ${packages.join(', ')} for the tests (once). The commands:`);
  for (const { command, why } of [...before, ...install, ...after]) say(`  ${command.join(' ')}   # ${why}`);
  say(
    'No service is started; one that was there before stays as it is. Nothing but the packages is left here.',
  );
  if (options.includes('--dry-run')) return;
  try {
    for (const step of before) perform(step);
    const installed = install.map(perform);
    // The lists may be out of date and still name the package; what decides is each package.
    if (installed.slice(1).includes(false)) process.exitCode = 1;
  } finally {
    for (const step of after) perform(step);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
