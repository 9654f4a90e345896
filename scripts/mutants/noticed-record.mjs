import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './repository-copy.mjs';

const file = join(root, '.build/mutants.json');

/** @param {import('../../test/mutants/table.mjs').Mutant} mutant */
function keyOf({ law, what, file: mutated }) {
  return `law ${law}, ${mutated}: ${what}`;
}

/** @param {import('../../test/mutants/table.mjs').Mutant} mutant */
export function wasNoticed(mutant) {
  return readNoticed().has(keyOf(mutant));
}

/**
 * Keeps on disk whether a mutant was noticed, so that a run can go on where another one was broken off. Reads the file first:
 * another run, of other mutants, may have written it meanwhile.
 *
 * @param {import('../../test/mutants/table.mjs').Mutant} mutant
 * @param {boolean} isNoticed
 */
export function recordNoticed(mutant, isNoticed) {
  const noticed = readNoticed();
  if (isNoticed) noticed.add(keyOf(mutant));
  else noticed.delete(keyOf(mutant));
  fs.mkdirSync(dirname(file), { recursive: true });
  fs.writeFileSync(file, JSON.stringify([...noticed], undefined, 1));
}

/** @returns {Set<string>} */
function readNoticed() {
  return new Set(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : []);
}
