import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mutants } from '../mutants/table.mjs';

// Running them takes minutes; that they still fit the sources is seen at once.
describe('every mutant fits its file', () => {
  for (const { law, what, file, find } of mutants) {
    test(`law ${law}: ${what}`, () => {
      expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').split(find)).toHaveLength(2);
    });
  }
});
