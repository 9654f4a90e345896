// Refuses imports against the direction of dependence, detours around it, time and chance taken from the surroundings, races
// that leak, and names that say nothing: `node scripts/check-layers.mjs`.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { readAmbientUses } from './layers/read-ambient-uses.mjs';
import { readImports } from './layers/read-imports.mjs';
import { readRaces } from './layers/read-races.mjs';
import { readReExports } from './layers/read-re-exports.mjs';
import { allowanceOf, describeAllowance, folderOf, isIn } from './layers/table.mjs';

/** @typedef {import('./layers/read-imports.mjs').Import} Import */
/** @typedef {import('./layers/table.mjs').Allowance} Allowance */
/** @typedef {{ offset: number, message: string }} Finding */

const clock = 'core/time/clock.ts';
const ambientModules = new Set(['node:timers', 'node:timers/promises', 'node:perf_hooks']);
/** Where promises may race, and why it leaks nothing there. */
const raceTracks = new Map([['testing/', 'a case races with promises of its own, which end with the case']]);
/** The modules that `exports` of package.json names. */
const entry = /(^|\/)index\.ts$|^(?:browser|engine)\.ts$/;
const emptyName = /(^|[/.-])(utils?|helpers?|managers?)[/.-]/;

/**
 * @param {string} src the folder to check
 * @returns {string[]} one line for each violation
 */
export function checkLayers(src) {
  return sourceFiles(src).flatMap((file) => {
    const text = readFileSync(join(src, file), 'utf8');
    return checkFile(file, text).map(
      ({ offset, message }) => `src/${file}:${lineAt(text, offset)}: ${message}`,
    );
  });
}

/** @param {string} src */
function sourceFiles(src) {
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter((path) => path.endsWith('.ts'))
    .toSorted();
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {Finding[]}
 */
function checkFile(file, text) {
  const { program, errors } = parseSync(file, text);
  if (errors[0]) return [{ offset: 0, message: `cannot be parsed: ${errors[0].message}` }];
  return [
    ...checkName(file),
    ...checkImports(file, readImports(program)),
    ...checkReExports(file, program),
    ...checkAmbientUses(file, program),
    ...checkRaces(file, program),
  ];
}

/**
 * @param {string} file
 * @returns {Finding[]}
 */
function checkName(file) {
  const found = emptyName.exec(file);
  if (!found) return [];
  return [{ offset: 0, message: `"${found[2]}" names nothing; name the file after the one thing in it` }];
}

/**
 * @param {string} file
 * @param {Import[]} imports
 * @returns {Finding[]}
 */
function checkImports(file, imports) {
  const allowance = allowanceOf(file);
  if (!allowance)
    return [{ offset: 0, message: 'is in no known part of src/; see scripts/layers/table.mjs' }];
  return imports
    .filter((each) => !isAllowed(file, each, allowance))
    .map(({ specifier, manner, offset }) => ({
      offset,
      message: `${manner} import of '${specifier}'; allowed here: ${describeAllowance(allowance)}`,
    }));
}

/**
 * @param {string} file
 * @param {Import} each
 * @param {Allowance} allowance
 */
function isAllowed(file, { specifier, manner }, allowance) {
  if (ambientModules.has(specifier)) return file === clock;
  if (specifier.startsWith('node:')) return allowance.builtins === true;
  if (!specifier.startsWith('.'))
    return (allowance.peers || (allowance.packages && manner !== 'value')) === true && !isOurName(specifier);

  const target = posix.join(posix.dirname(file), specifier);
  if (folderOf(target) === folderOf(file) || isIn(target, allowance.parts)) return true;
  if (manner !== 'value' && isIn(target, allowance.lazily ?? [])) return true;
  return manner === 'type' && isIn(target, allowance.types ?? []);
}

/**
 * A part passes on nothing of another part: an import through a detour hides from the table what it really depends on. The
 * entries of the package are made of re-exports.
 *
 * @param {string} file
 * @param {import('oxc-parser').Program} program
 * @returns {Finding[]}
 */
function checkReExports(file, program) {
  if (entry.test(file)) return [];
  return readReExports(program)
    .filter(({ specifier }) => folderOf(posix.join(posix.dirname(file), specifier)) !== folderOf(file))
    .map(({ name, specifier, offset }) => ({
      offset,
      message: `re-export of ${name === '*' ? 'everything' : name} of '${specifier}'; only index.ts and engine.ts pass on what another part declares`,
    }));
}

/** @param {string} specifier */
function isOurName(specifier) {
  return specifier === 'holdfast' || specifier.startsWith('holdfast/');
}

/**
 * @param {string} file
 * @param {import('oxc-parser').Program} program
 * @returns {Finding[]}
 */
function checkAmbientUses(file, program) {
  if (file === clock) return [];
  return readAmbientUses(program).map(({ what, offset }) => ({
    offset,
    message: `${what} is refused outside src/${clock}; take time, timers and chance from the clock that is passed in`,
  }));
}

/**
 * @param {string} file
 * @param {import('oxc-parser').Program} program
 * @returns {Finding[]}
 */
function checkRaces(file, program) {
  if ([...raceTracks.keys()].some((folder) => file.startsWith(folder))) return [];
  return readRaces(program).map((offset) => ({
    offset,
    message:
      'Promise.race leaves a reaction on every promise it is given, for as long as that is pending; take inTime, or reject those who wait from a set',
  }));
}

/**
 * @param {string} text
 * @param {number} offset
 */
function lineAt(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const violations = checkLayers(fileURLToPath(new URL('../src', import.meta.url)));
  for (const violation of violations) console.error(violation);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
