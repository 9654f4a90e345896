import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, say } from '../bootstrap/run.mjs';

/**
 * Outside of the repository: below it, a project would find our development dependencies and our tsconfig.json. It stays there, so that
 * the next run need not fetch everything again.
 */
const folder = join(tmpdir(), `holdfast-package-${hashOf(root).slice(0, 8)}`);

/**
 * Packs what would be published. The file has another name when its content changes: npm takes a file of the same name for known.
 * @returns {string} its path
 */
export function packTarball() {
  const packed = join(folder, 'packed');
  fs.rmSync(packed, { recursive: true, force: true });
  fs.mkdirSync(packed, { recursive: true });
  npm(['pack', root, '--ignore-scripts', '--pack-destination', packed], folder);
  const [name = ''] = fs.readdirSync(packed);
  const hash = hashOf(fs.readFileSync(join(packed, name)));
  const tarball = join(packed, `holdfast-${hash.slice(0, 12)}.tgz`);
  fs.renameSync(join(packed, name), tarball);
  return tarball;
}

/**
 * A project that has these packages installed, as a user's has. What was installed before stays.
 * @param {string} name
 * @param {Readonly<Record<string, string>>} dependencies versions by name
 * @param {object} manifest what else is in its package.json
 * @returns {string} its folder
 */
export function installProject(name, dependencies, manifest = {}) {
  const project = join(folder, name);
  fs.mkdirSync(project, { recursive: true });
  const text = JSON.stringify({ private: true, ...manifest, dependencies }, null, 2);
  // Written last: an installation that was interrupted counts as none.
  const stamp = join(project, '.installed');
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === text) return project;
  say(`installing what ${name} needs into ${project} …`);
  fs.rmSync(stamp, { force: true });
  fs.writeFileSync(join(project, 'package.json'), text);
  const quietly = ['--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  npm(['install', '--ignore-scripts', ...quietly], project);
  fs.writeFileSync(stamp, text);
  return project;
}

/**
 * Runs npm, without what the npm that runs this has put into the environment.
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function npm(args, cwd) {
  const inherited = Object.entries(process.env).filter(
    ([key]) => !/^npm_(?:package|lifecycle|command)/i.test(key),
  );
  const done = spawnSync('npm', args, {
    cwd,
    env: Object.fromEntries(inherited),
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  if (done.status !== 0)
    throw new Error(`npm ${args.join(' ')} failed in ${cwd}:\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

/** @param {string | Buffer} content */
function hashOf(content) {
  return createHash('sha256').update(content).digest('hex');
}
