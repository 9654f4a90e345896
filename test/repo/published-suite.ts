import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type PublishedTests, publishedRows } from '../interop/published.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** Checks the list of a library's own tests: as many as were counted, asserted where it says, and all on its page. */
export function publishedSuite(
  published: PublishedTests,
  page: string,
  counts: Readonly<Record<string, number>>,
): void {
  test.each(Object.entries(counts))('%s has %i', (group, count) => {
    expect(Object.keys(published[group] ?? {})).toHaveLength(count);
  });

  test('are asserted where the list says', () => {
    const missing = Object.values(published)
      .flatMap((tests) => Object.values(tests))
      .flatMap((answer) => ('not' in answer ? [] : answer))
      .filter(({ file, title }) => !existsSync(new URL(file, root)) || !read(file).includes(title));
    expect(missing).toEqual([]);
  });

  test('are all in the table of the documentation', () => {
    const words = (row: string): string => row.replaceAll(/\s+/g, ' ');
    const shown = new Set(read(page).split('\n').map(words));
    expect(
      publishedRows(published)
        .map(words)
        .filter((row) => !shown.has(row)),
    ).toEqual([]);
  });
}
