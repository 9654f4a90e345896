import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a mutant into a copy of the repository. Returns the function that takes it out again.
 *
 * @param {string} copy
 * @param {import('../../test/mutants/table.mjs').Mutant} mutant
 */
export function mutate(copy, mutant) {
  const path = join(copy, mutant.file);
  const source = fs.readFileSync(path, 'utf8');
  const occurrences = source.split(mutant.find).length - 1;
  if (occurrences !== 1) throw new Error(`${mutant.file} has ${occurrences} times: ${mutant.find}`);
  write(
    copy,
    path,
    source.replace(mutant.find, () => mutant.replace),
  );
  return () => write(copy, path, source);
}

/**
 * Writes a file, and what is made of it: the engine takes its scripts from a module, and the model from their files.
 *
 * @param {string} copy
 * @param {string} path
 * @param {string} text
 */
function write(copy, path, text) {
  fs.writeFileSync(path, text);
  if (path.endsWith('.lua'))
    execFileSync(process.execPath, [join(copy, 'scripts/build-lua.mjs'), '--drifting']);
}
