import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { isOnPath, root, run, say } from './run.mjs';

/**
 * @typedef {object} DebianRoot
 * @property {string} folder where the packages go, relative to the repository: their files are under `root` in it
 * @property {readonly string[]} suites the releases to take them from; the last has preference
 * @property {readonly string[]} packages
 * @property {boolean} whole whether to bring every library down to libc. Packages of a newer release need it; those of this machine's
 *   release, or its backports, only what the machine lacks
 */

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/**
 * Unpacks Debian packages into a folder of the repository, without installing them: apt gets lists, a cache and a status file of
 * its own there, so that nothing outside of the folder changes, and no maintainer script runs. Does nothing if the same was
 * unpacked before.
 * @param {DebianRoot} wanted
 * @returns {boolean} whether it is there
 */
export function unpackDebianPackages(wanted) {
  const { folder, packages } = wanted;
  const place = join(root, folder);
  const stamp = join(place, 'unpacked.json');
  const request = JSON.stringify(wanted);
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === request) return true;
  if (!['apt-get', 'dpkg-deb'].every(isOnPath) || !fs.existsSync(KEYRING)) return false;
  say(`unpacking ${packages.join(', ')} of Debian ${wanted.suites.at(-1)} into ${folder} (once) …`);
  fs.rmSync(place, { recursive: true, force: true });
  for (const each of ['root', 'state/lists/partial', 'cache/archives/partial'])
    fs.mkdirSync(join(place, each), { recursive: true });
  fs.writeFileSync(join(place, 'sources.list'), sourcesOf(wanted.suites));
  if (wanted.whole) fs.writeFileSync(join(place, 'state/status'), '');
  else fs.copyFileSync('/var/lib/dpkg/status', join(place, 'state/status'));
  try {
    const apt = ['--quiet=2', ...settingsOf(place)];
    run('apt-get', [...apt, 'update']);
    // Without --reinstall a package that the machine has would not be fetched.
    const how = ['--yes', '--download-only', '--reinstall', '--target-release', wanted.suites.at(-1) ?? ''];
    run('apt-get', [...apt, ...how, 'install', ...packages]);
    const archives = join(place, 'cache/archives');
    for (const file of fs.readdirSync(archives).filter((name) => name.endsWith('.deb')))
      run('dpkg-deb', ['--extract', join(archives, file), join(place, 'root')]);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return false;
  }
  for (const each of ['state', 'cache']) fs.rmSync(join(place, each), { recursive: true });
  fs.writeFileSync(stamp, request);
  return true;
}

/** @param {string} place */
function settingsOf(place) {
  const settings = {
    'Dir::State': join(place, 'state'),
    'Dir::State::status': join(place, 'state/status'),
    'Dir::Cache': join(place, 'cache'),
    'Dir::Etc::sourcelist': join(place, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    // The locks of apt and dpkg belong to the machine, and what is written here does not.
    'Debug::NoLocking': '1',
    'APT::Install-Recommends': '0',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
  };
  return Object.entries(settings).flatMap(([name, value]) => ['--option', `${name}=${value}`]);
}

/**
 * From the mirrors that the machine uses anyway.
 * @param {readonly string[]} suites
 */
function sourcesOf(suites) {
  const asked = ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'];
  const mirrors = [...new Set(spawnSync('apt-get', asked, { encoding: 'utf8' }).stdout.split('\n'))];
  const usual = mirrors.find((each) => each !== '' && !each.includes('security'));
  return suites.map((suite) => `deb [signed-by=${KEYRING}] ${usual} ${suite} main\n`).join('');
}
