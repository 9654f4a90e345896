import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './run.mjs';

/**
 * Makes something that neither npm nor `tsc -b` keeps up to date by itself, unless the same inputs have made it before. The
 * stamp is written last: a run that was interrupted counts as none.
 * @param {{ stamp: string, output: string, inputs: readonly string[] }} what
 * @param {() => void} make
 */
export function makeOnce({ stamp, output, inputs }, make) {
  const file = join(root, stamp);
  const wanted = fingerprint(inputs);
  const found = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined;
  if (found === wanted && fs.existsSync(join(root, output))) return;
  fs.rmSync(file, { force: true });
  make();
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, wanted);
}

/**
 * Contents and not times: a checkout touches every file and changes none.
 * @param {readonly string[]} inputs
 */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const path of inputs.flatMap(filesUnder)) {
    const content = fs.readFileSync(join(root, path));
    hash.update(path).update('\0').update(content).update('\0');
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
    .toSorted()
    .flatMap((name) => filesUnder(join(path, name)));
}
