import { expect, test } from 'vitest';
import { exportedNames, importedNames, modulesUnder } from './module-names.ts';

/**
 * What the engines of this repository take from other parts and an author of an engine cannot: each with the reason. Keys
 * are names, as `engine.ts` would export them.
 */
const INTERNAL: Readonly<Record<string, string>> = {
  ticketOfHold: 'of use only to an engine that lets its users write in a transaction of the store',
  keepToHold: 'of use only to an engine that lets its users write in a transaction of the store',
};

const spi = exportedNames('src/engine.ts');
const open = new Set([...spi, ...exportedNames('src/index.ts')]);

/** What an engine of ours imports from other parts. `export *` in an entry passes types on to users and is no use. */
const needs = modulesUnder('src/engines')
  .flatMap(importedNames)
  .filter(({ from, name }) => from.startsWith('src/') && !from.startsWith('src/engines/') && name !== '*');

/** The simulated engine and the server of lines are written against `holdfast/engine` alone, as an author's would be. */
const simulated = ['test/sim', 'test/fixtures/lines']
  .flatMap(modulesUnder)
  .flatMap(importedNames)
  .filter(({ from }) => from === 'holdfast/engine');

test('engine.ts and index.ts export everything that our engines use', () => {
  const missing = needs.filter(({ name }) => !open.has(name) && !Object.hasOwn(INTERNAL, name));
  expect(
    [...new Set(missing.map(({ name, from, by }) => `${name} of ${from}, used by ${by}`))],
    'export it in src/engine.ts, or name it in INTERNAL with a reason',
  ).toEqual([]);
});

test('engine.ts exports nothing that none of our engines uses', () => {
  const used = new Set([...needs, ...simulated].map(({ name }) => name));
  expect(spi.filter((name) => !used.has(name))).toEqual([]);
});

test('engine.ts names each thing once, and repeats nothing that index.ts exports', () => {
  const main = new Set(exportedNames('src/index.ts'));
  expect(spi.filter((name, at) => spi.indexOf(name) !== at || main.has(name))).toEqual([]);
});

test('what is named as internal is used by an engine, and not exported', () => {
  const used = new Set(needs.map(({ name }) => name));
  expect(Object.keys(INTERNAL).filter((name) => !used.has(name) || open.has(name))).toEqual([]);
});
