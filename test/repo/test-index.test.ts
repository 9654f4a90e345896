import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testFilesOf } from '../../scripts/test-files.mjs';
import { lawNumbers, page, testIndex } from '../../scripts/write-test-index.mjs';
import { mutants } from '../mutants/table.mjs';

const root = new URL('../../', import.meta.url);
const index = await testIndex();

test('the index is what the mutants’ table says: else run node scripts/write-test-index.mjs', () => {
  expect(readFileSync(new URL(page, root), 'utf8')).toBe(index);
});

test('every folder of test/ is described', () => {
  const folders = readdirSync(new URL('test/', root), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(folders.filter(({ name }) => !new RegExp(`\\(\\.\\./test/${name}\\) +\\| \\S`).test(index))).toEqual(
    [],
  );
});

// vitest fails where it finds no file, and `npm run mutants` would take that for a test that noticed the mutant.
test('every test that the table names is there', () => {
  const named = [...new Set(mutants.flatMap(({ tests }) => tests))];
  expect(named.filter((filter) => testFilesOf(filter).length === 0)).toEqual([]);
});

test('every law that the table names is one of docs/soundness.md', () => {
  const laws = lawNumbers();
  expect([...new Set(mutants.map(({ law }) => law))].filter((law) => !laws.includes(law))).toEqual([]);
});
