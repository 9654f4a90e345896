import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PUBLISHED, publishedRows } from '../interop/redisson/published-tests.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** As the note counts them; the others are not listed name by name. */
const COUNTS: Readonly<Record<string, number>> = {
  RedissonLockTest: 26,
  RedissonFairLockTest: 28,
  RedissonReadWriteLockTest: 31,
  RedissonLockExpirationRenewalTest: 4,
  RedissonMultiLockTest: 4,
  RedissonSemaphoreTest: 17,
  RedissonPermitExpirableSemaphoreTest: 30,
};

describe('Redisson’s published tests', () => {
  test.each(Object.entries(COUNTS))('%s has %i', (group, count) => {
    expect(Object.keys(PUBLISHED[group] ?? {})).toHaveLength(count);
  });

  test('are asserted where the list says', () => {
    const missing = Object.values(PUBLISHED)
      .flatMap((tests) => Object.values(tests))
      .flatMap((answer) => ('not' in answer ? [] : answer))
      .filter(({ file, title }) => !existsSync(new URL(file, root)) || !read(file).includes(title));
    expect(missing).toEqual([]);
  });

  test('are all in the table of the documentation', () => {
    const words = (row: string): string => row.replaceAll(/\s+/g, ' ');
    const shown = new Set(read('docs/wire/redisson.md').split('\n').map(words));
    expect(
      publishedRows()
        .map(words)
        .filter((row) => !shown.has(row)),
    ).toEqual([]);
  });
});
