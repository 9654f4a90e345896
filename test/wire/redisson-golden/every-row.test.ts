import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CHANGED_ON_PURPOSE } from './changed-on-purpose.ts';
import { ROWS } from './rows.ts';

const folder = new URL('.', import.meta.url);

/** The rows that the tests here call by name. */
function tested(): readonly string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.test.ts') && file !== 'every-row.test.ts')
    .map((file) => readFileSync(new URL(file, folder), 'utf8'))
    .flatMap((source) => [...source.matchAll(/\btest\('([a-z-]+)'/g)].map(([, row]) => row!));
}

describe('what was seen of Redisson', () => {
  test('is 42 rows', () => {
    expect(Object.keys(ROWS)).toHaveLength(42);
  });

  test.each(Object.keys(ROWS))('%s has a test', (row) => {
    expect(tested()).toContain(row);
  });

  test('is tested under no other name', () => {
    expect(tested().filter((row) => !(row in ROWS))).toEqual([]);
  });

  test('is changed in each row at most once, with a reason', () => {
    const changed = CHANGED_ON_PURPOSE.map(({ row }) => row);
    expect(new Set(changed).size).toBe(changed.length);
    expect(CHANGED_ON_PURPOSE.filter(({ instead, because }) => instead === '' || because === '')).toEqual([]);
  });
});
