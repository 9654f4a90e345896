import * as fs from 'node:fs';
import { join } from 'node:path';

const OUTPUT = /(?:\.d\.ts|\.js)(?:\.map)?$/;

/**
 * Removes what was compiled from a source that is gone: `tsc -b` leaves it there.
 * @param {string} output the folder of what was compiled
 * @param {string} sources the folder of the sources, laid out alike
 */
export function removeLeftovers(output, sources) {
  for (const entry of fs.readdirSync(output, { withFileTypes: true })) {
    const path = join(output, entry.name);
    if (entry.isDirectory()) {
      removeLeftovers(path, join(sources, entry.name));
      if (fs.readdirSync(path).length === 0) fs.rmdirSync(path);
    } else if (OUTPUT.test(entry.name)) {
      if (!fs.existsSync(join(sources, entry.name.replace(OUTPUT, '.ts')))) fs.rmSync(path);
    }
  }
}
