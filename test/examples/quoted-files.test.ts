import { describe, expect, test } from 'vitest';
import { pages, read } from './documents.ts';

/** A page quotes a file in blocks of `typescript` that begin with its path: all of them together are the whole file. */
const BLOCK = /^```typescript\n\/\/ (\S+)\n([^]*?)^```$/gm;

function quotesOf(page: string): ReadonlyMap<string, string> {
  const quotes = new Map<string, string>();
  for (const [, path = '', code = ''] of read(page).matchAll(BLOCK)) {
    const before = quotes.get(path);
    quotes.set(path, before === undefined ? code : `${before}\n${code}`);
  }
  return quotes;
}

const quoting = pages
  .map((page) => ({ page, quotes: quotesOf(page) }))
  .filter(({ quotes }) => quotes.size > 0);

describe.each(quoting)('$page', ({ quotes }) => {
  test.each([...quotes])('quotes %s as it is', (path, quote) => {
    expect(quote).toBe(read(path));
  });
});

test('the page about engines quotes the whole engine', () => {
  const quoted = [...(quoting.find(({ page }) => page === 'docs/adding-an-engine.md')?.quotes.keys() ?? [])];
  expect(quoted.toSorted()).toEqual([
    'examples/map-engine/index.ts',
    'examples/map-engine/map-connection.ts',
    'examples/map-engine/map-documents.ts',
    'examples/map-engine/map-harness.ts',
    'examples/map-engine/map-inspector.ts',
    'examples/map-engine/map-server.ts',
    'test/examples/map-engine.test.ts',
  ]);
});

test('what the page about engines shows of Holdfast is published', () => {
  const imports = [...read('docs/adding-an-engine.md').matchAll(/from '(holdfast[^']*|\.\.[^']*)'/g)];
  const others = imports.map(([, from = '']) => from).filter((from) => !from.startsWith('holdfast'));
  expect(others).toEqual(['../../examples/map-engine/map-harness.ts', '../engines/virtual-surroundings.ts']);
});
