import { readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { mutants } from '../mutants/table.mjs';

// Running them takes an hour; that they still fit the sources is seen at once.
describe('every mutant fits its file', () => {
  for (const { law, what, file, find, replace } of mutants) {
    test(`law ${law}: ${what}`, () => {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      expect(source.split(find)).toHaveLength(2);
      // Every test notices a file that does not load.
      const mutated = file.endsWith('.ts') ? source.replace(find, () => replace) : '';
      expect(parseSync(file, mutated).errors).toEqual([]);
    });
  }
});

// A run keeps under these names which mutants were noticed.
test('no two mutants of a law and a file have the same description', () => {
  const names = mutants.map(({ law, what, file }) => `law ${law}, ${file}: ${what}`);
  expect(names.filter((name, at) => names.indexOf(name) < at)).toEqual([]);
});

test('a case is named only where there is one file that it can be in', () => {
  const unclear = mutants.filter((mutant) => mutant.case !== undefined && mutant.tests.length !== 1);
  expect(unclear.map(({ what }) => what)).toEqual([]);
});
