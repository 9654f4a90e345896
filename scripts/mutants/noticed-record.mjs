import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './repository-copy.mjs';

const file = join(root, '.build/mutants.json');

/** @param {import('../../test/mutants/table.mjs').Mutant} mutant */
function keyOf({ law, what, file: mutated }) {
  return `law ${law}, ${mutated}: ${what}`;
}

/** Keeps on disk which mutants were noticed, so that a run can go on where another one was broken off. */
export class NoticedRecord {
  /** @type {Set<string>} */
  #noticed = new Set(fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : []);

  /** @param {import('../../test/mutants/table.mjs').Mutant} mutant */
  isNoticed(mutant) {
    return this.#noticed.has(keyOf(mutant));
  }

  /**
   * @param {import('../../test/mutants/table.mjs').Mutant} mutant
   * @param {boolean} isNoticed
   */
  set(mutant, isNoticed) {
    if (isNoticed) this.#noticed.add(keyOf(mutant));
    else this.#noticed.delete(keyOf(mutant));
    fs.mkdirSync(dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify([...this.#noticed], undefined, 1));
  }
}
