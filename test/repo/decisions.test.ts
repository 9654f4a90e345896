import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const folder = new URL('../../docs/decisions/', import.meta.url);
const files = readdirSync(folder)
  .filter((file) => file !== 'README.md')
  .toSorted();
const index = readFileSync(new URL('README.md', folder), 'utf8');

const STATUS = /^(proposed|accepted|rejected|superseded by \[\d+\]\(\d{4}-[a-z0-9-]+\.md\))$/;
const HEADINGS = ['Context', 'Decision', 'Consequences', 'What was tried instead'];

/** The parts of a page by their headings. What stands before the first one is under the empty name. */
function parts(page: string): ReadonlyMap<string, string> {
  const [before = '', ...rest] = page.split(/^## /m);
  return new Map([
    ['', before] as const,
    ...rest.map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end).trim()] as const;
    }),
  ]);
}

test('decisions are numbered without a gap', () => {
  expect(files.map((file) => Number(file.slice(0, 4)))).toEqual(files.map((_, at) => at + 1));
});

describe.each(files)('%s', (file) => {
  const page = readFileSync(new URL(file, folder), 'utf8');
  const [title = '', empty, status = ''] = page.split('\n');
  const number = Number(file.slice(0, 4));

  test('has its number and a title', () => {
    expect(title).toMatch(new RegExp(`^# ${number}\\. \\S`));
    expect(empty).toBe('');
  });

  test('has a status out of the list, and a date', () => {
    const found = /^\*\*Status:\*\* (.+) · \*\*Date:\*\* (.+)$/.exec(status);
    expect(found?.[1]).toMatch(STATUS);
    expect(found?.[2]).toMatch(/^(\d{4}-\d\d-\d\d|unknown)$/);
  });

  test('has the four parts, in order, and none is empty', () => {
    const [, ...named] = parts(page);
    expect(named.map(([heading]) => heading)).toEqual(HEADINGS);
    expect(named.filter(([, text]) => text === '')).toEqual([]);
  });

  test('is in the index under its title', () => {
    expect(index).toContain(`${number}. [${title.replace(/^# \d+\. /, '')}](${file})`);
  });
});
