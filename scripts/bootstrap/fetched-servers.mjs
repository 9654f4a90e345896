import * as fs from 'node:fs';
import { unpackDebianPackages } from './debian-root.mjs';
import { say } from './run.mjs';

/** The name of this machine's release, `bookworm` for one. */
const release = /^VERSION_CODENAME=(.*)$/m.exec(osRelease())?.[1] ?? 'stable';

/**
 * Servers that only matrices run, and that Debian's stable release does not have. Unpacked below .build and not installed: MySQL
 * would replace the machine's MariaDB.
 */
const servers = {
  Valkey: {
    variable: 'HOLDFAST_VALKEY_SERVER',
    unpacked: {
      folder: '.build/valkey',
      suites: [release, `${release}-backports`],
      packages: ['valkey-server'],
      whole: false,
    },
  },
  MySQL: {
    variable: 'HOLDFAST_MYSQL_ROOT',
    unpacked: { folder: '.build/mysql', suites: ['sid'], packages: ['mysql-server-core'], whole: true },
  },
};

export const fetchValkey = () => fetchServer('Valkey');
export const fetchMysql = () => fetchServer('MySQL');

/** @param {keyof typeof servers} name */
function fetchServer(name) {
  const { variable, unpacked } = servers[name];
  if (process.env[variable] || unpackDebianPackages(unpacked)) return;
  const why = `There is no ${name} here: it is unpacked from Debian's packages. Elsewhere name one in ${variable}.`;
  // As with a missing server: a run that decides about a merge may not be green without it.
  if (process.env['CI']) throw new Error(why);
  say(`${why} Its tests will be skipped.`);
}

function osRelease() {
  const file = '/etc/os-release';
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
}
